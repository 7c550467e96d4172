import { useQueries } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { type KeptStudy, MAX_ASKED_STUDIES } from "../../../../shared/api/studies.ts";
import type { UsageStats } from "../../../../shared/api/subscriptions.ts";
import { STUDIES } from "../../../calls/query-keys.ts";
import { inTurns } from "../../../runtime/in-turns.ts";
import { useUsageStats } from "../../plan/use-subscription.ts";
import { useHis } from "../../session/his-context.ts";
import { studiesApi } from "../../studies/studies-api.ts";
import type { Exam } from "../draft/exam.ts";
import { sumInWorker } from "../draft/file-sums.ts";
import { type KnownStudy, type SortedExams, sortExams } from "./sort-exams.ts";

export interface ExamSorting {
  sorted: SortedExams;
  /** Undefined if the person has no plan, or nobody knows yet. */
  usage: UsageStats | undefined;
  /** How many more bytes the plan holds; infinite if nobody knows. */
  roomBytes: number;
  /** Sorts exams that were merged anew, by what is known now. */
  sort: (exams: readonly Exam[]) => SortedExams;
}

/**
 * The picked exams with what the server knows of them.
 * @param otherBytes of the files that are sent beside them, whichever exam they are of
 */
export function useSortedExams(
  exams: readonly Exam[],
  unticked: ReadonlySet<string>,
  otherBytes: number,
): ExamSorting {
  const { user, maxUploadBytes } = useHis();
  const hasPlan = user.role !== "admin";
  const { known, isAsked } = useKnownStudies(exams);
  const { data: usage } = useUsageStats({ enabled: exams.length > 0 && hasPlan });
  const isKnown = hasPlan && isAsked && usage;
  const room = isKnown ? usage.examsRemaining : Number.POSITIVE_INFINITY;
  const allBytes = isKnown ? usage.storageRemainingBytes : Number.POSITIVE_INFINITY;
  const roomBytes = allBytes - otherBytes;
  const sort = (some: readonly Exam[]) =>
    sortExams(some, { known, room, roomBytes, unticked, maxUploadBytes });
  const summed = useSums(sort(exams).assumed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was summed meanwhile changes the order
  const sorted = useMemo(() => sort(exams), [exams, known, room, roomBytes, unticked, summed]);
  return { sorted, usage: (hasPlan && usage) || undefined, roomBytes: allBytes, sort };
}

/** A folder may hold thousands of exams, and the browser has some six connections for all that the page asks. */
const inTurn = inTurns(4);

/** Which of the exams the account keeps, and which of their files. */
function useKnownStudies(exams: readonly Exam[]): { known: readonly KnownStudy[]; isAsked: boolean } {
  const uids = exams.map(({ studyInstanceUID }) => studyInstanceUID);
  const portions = Array.from({ length: Math.ceil(uids.length / MAX_ASKED_STUDIES) }, (_, n) =>
    uids.slice(n * MAX_ASKED_STUDIES, (n + 1) * MAX_ASKED_STUDIES),
  );
  const kept = useQueries({
    queries: portions.map((asked) => ({
      queryKey: [STUDIES, "kept", asked],
      queryFn: ({ signal }: { signal: AbortSignal }) => inTurn(() => studiesApi.kept(asked, signal), signal),
    })),
    combine: keptOf,
  });
  const instances = useQueries({
    queries: kept.studies.map(({ id }) => ({
      queryKey: [STUDIES, "kept-instances", id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        inTurn(() => studiesApi.keptInstances(id, signal), signal),
    })),
    combine: instancesOf,
  });
  const known = useMemo(
    () => kept.studies.map((study, n) => ({ study, instances: instances[n] })),
    [kept, instances],
  );
  return { known, isAsked: kept.isAsked };
}

function keptOf(answers: readonly { data?: KeptStudy[] | undefined }[]) {
  return {
    studies: answers.flatMap(({ data }) => data ?? []),
    isAsked: answers.every(({ data }) => data !== undefined),
  };
}

function instancesOf(
  answers: readonly { data?: Exclude<KnownStudy["instances"], "pending">; isPending: boolean }[],
) {
  return answers.map(({ data, isPending }) => (isPending ? ("pending" as const) : data));
}

/** Reads the files, so that their sums are known; returns another number whenever more are. */
function useSums(files: readonly Blob[]): number {
  const [summed, setSummed] = useState(0);
  const count = files.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the files are others whenever their number is
  useEffect(() => {
    if (count === 0) return;
    const controller = new AbortController();
    sumInWorker(files, controller.signal).then(
      () => setSummed((before) => before + 1),
      // A file that is gone is told when it is sent.
      () => {},
    );
    return () => controller.abort();
  }, [count]);
  return summed;
}
