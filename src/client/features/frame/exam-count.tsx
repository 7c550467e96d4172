import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../calls/api.ts";
import { EXAM_COUNT } from "../../calls/query-keys.ts";
import { readAgainAfterFailure } from "../../calls/read-again.ts";
import { countText } from "../../ui/text/count-text.ts";
import { useHis } from "../session/his-context.ts";

const CACHED_MS = 30_000;

/** The number of a user's own exams, beside their entry in the menu. */
export function ExamCount() {
  const { i18n } = useLingui();
  const { user, isActive } = useHis();
  const { data } = useQuery({
    queryKey: [EXAM_COUNT],
    queryFn: ({ signal }) => api.examCount(signal),
    enabled: isActive && user.role === "user",
    staleTime: CACHED_MS,
    refetchInterval: readAgainAfterFailure,
  });
  if (!data || data.count === 0) return null;
  return (
    <span className="nav-count" aria-hidden="true">
      {countText(i18n, data.count)}
    </span>
  );
}
