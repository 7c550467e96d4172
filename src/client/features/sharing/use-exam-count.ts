import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";

/** "2 exams" */
export function useExamCount(count: number): string {
  const { t } = useLingui();
  return t({ id: "link.exams", message: plural(count, { one: "# exam", other: "# exams" }) });
}
