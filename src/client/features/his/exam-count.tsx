import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { EXAM_COUNT } from "../studies/refresh-exams.ts";
import { useHis } from "./his-context.ts";

const CACHED_MS = 30_000;

/** How many exams of his own a user keeps, beside the menu's word for them. */
export function ExamCount() {
  const { i18n } = useLingui();
  const { user, isActive } = useHis();
  const { data } = useQuery({
    queryKey: [EXAM_COUNT],
    queryFn: ({ signal }) => api.examCount(signal),
    enabled: isActive && user.role === "user",
    staleTime: CACHED_MS,
  });
  return data && data.count > 0 ? (
    <span className="nav-count" aria-hidden="true">
      {i18n.number(data.count)}
    </span>
  ) : null;
}
