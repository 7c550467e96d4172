import { useQuery } from "@tanstack/react-query";
import { MAX_ASKED_STUDIES } from "../../../../shared/api/studies.ts";
import { STUDIES } from "../../../query-keys.ts";
import { useUsageStats } from "../../plan/use-subscription.ts";
import { useHis } from "../../session/his-context.ts";
import { studiesApi } from "../../studies/studies-api.ts";
import type { Contents } from "../look-inside/contents.ts";
import { type SortedExams, sortExams } from "./sort-exams.ts";

/** The picked exams with what the server knows of them; undefined if this browser found none. */
export function useSortedExams(contents: Contents | undefined): SortedExams | undefined {
  const { user } = useHis();
  const studies = contents?.studies ?? [];
  const uids = studies.map(({ studyInstanceUID }) => studyInstanceUID).slice(0, MAX_ASKED_STUDIES);
  const hasExams = uids.length > 0;
  const hasPlan = user.role !== "admin";
  const { data: kept } = useQuery({
    queryKey: [STUDIES, "kept", uids],
    queryFn: ({ signal }) => studiesApi.kept(uids, signal),
    enabled: hasExams,
  });
  const { data: usage } = useUsageStats({ enabled: hasExams && hasPlan });
  if (!hasExams) return undefined;
  const room = hasPlan && kept && usage ? usage.examsRemaining : Number.POSITIVE_INFINITY;
  return sortExams(studies, kept ?? [], room);
}
