import { useQueryClient } from "@tanstack/react-query";
import { useSetAtom } from "jotai";
import type { Study } from "../../../../shared/api/studies.ts";
import { refreshExams } from "../../../query-keys.ts";
import { showToast } from "../../../ui/toast.tsx";
import { useOwnClose } from "../../places/use-own-close.ts";
import { selectAtom, stopSelectingAtom } from "../selection/selection.ts";
import type { LeftExam } from "./bulk-job.ts";

interface BulkEnd {
  /** The toast's title for so many exams that were done. */
  title: (count: number) => string;
  text?: string;
  onClose: () => void;
}

/** Ends a run: what was done is told and no longer chosen. The dialog stays open for what was left. */
export function useBulkEnd({ title, text, onClose }: BulkEnd) {
  const queryClient = useQueryClient();
  const close = useOwnClose(onClose);
  const select = useSetAtom(selectAtom);
  const stopSelecting = useSetAtom(stopSelectingAtom);
  return async ({ studies, left }: { studies: readonly Study[]; left: readonly LeftExam[] }) => {
    const done = studies.filter(({ id }) => !left.some((exam) => exam.id === id));
    if (done.length > 0) showToast({ tone: "ok", title: title(done.length), ...(text && { text }) });
    if (left.length === 0) {
      close();
      stopSelecting();
    } else {
      select({ studies: done, isSelected: false });
    }
    // Studies that were not deleted may be gone too: the answer was lost, or another tab deleted them.
    await refreshExams(queryClient);
  };
}
