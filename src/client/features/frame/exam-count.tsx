import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { EXAM_COUNT } from "../../query-keys.ts";
import { useHis } from "../session/his-context.ts";

const CACHED_MS = 30_000;
/** From here on numbers are grouped. Below, a phone's start is spared Intl's first formatter (some 100 ms). */
const GROUPED_FROM = 1_000;

/** The number of a user's own exams, beside their entry in the menu. */
export function ExamCount() {
  const { i18n } = useLingui();
  const { user, isActive } = useHis();
  const { data } = useQuery({
    queryKey: [EXAM_COUNT],
    queryFn: ({ signal }) => api.examCount(signal),
    enabled: isActive && user.role === "user",
    staleTime: CACHED_MS,
  });
  if (!data || data.count === 0) return null;
  return (
    <span className="nav-count" aria-hidden="true">
      {data.count < GROUPED_FROM ? data.count : i18n.number(data.count)}
    </span>
  );
}
