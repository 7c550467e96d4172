import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useSetAtom } from "jotai";
import type { Study } from "../../../../shared/api/studies.ts";
import { refreshExams } from "../../../calls/query-keys.ts";
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

/**
 * Ends a run: what was done, or is gone, is told and no longer chosen: no row could take it out. The dialog stays open for what
 * was left.
 */
export function useBulkEnd({ title, text, onClose }: BulkEnd) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const close = useOwnClose(onClose);
  const select = useSetAtom(selectAtom);
  const stopSelecting = useSetAtom(stopSelectingAtom);
  return async ({ studies, left }: { studies: readonly Study[]; left: readonly LeftExam[] }) => {
    const done = studies.filter(({ id }) => !left.some((exam) => exam.id === id));
    if (done.length > 0) showToast({ tone: "ok", title: title(done.length), ...(text && { text }) });
    const gone = studies.filter(({ id }) => left.some((exam) => exam.id === id && exam.isGone));
    if (gone.length > 0) {
      showToast({
        tone: "bad",
        title: t({
          id: "bulk.gone",
          message: plural(gone.length, {
            one: "# selected exam is gone: it was deleted, or is no longer shared with you",
            other: "# selected exams are gone: they were deleted, or are no longer shared with you",
          }),
        }),
      });
    }
    if (done.length + gone.length === studies.length) {
      close();
      stopSelecting();
    } else {
      select({ studies: [...done, ...gone], isSelected: false });
    }
    // Studies that were not deleted may be gone too: the answer was lost, or another tab deleted them.
    await refreshExams(queryClient);
  };
}
