import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useSetAtom, useStore } from "jotai";
import type { UploadAnswer } from "../../../../shared/api/upload.ts";
import { ApiError } from "../../../calls/api.ts";
import { refreshExams } from "../../../calls/query-keys.ts";
import { showToast } from "../../../ui/toast.tsx";
import { hasDialog } from "../../places/place.ts";
import { placeAtom, viewAtom } from "../../places/views.ts";
import { newStudiesAtom } from "../../studies/new-studies.ts";
import { studiesApi } from "../../studies/studies-api.ts";
import { lastConflictsAtom, lastSkippedAtom } from "../notices/last-upload.ts";
import { newsTexts } from "../upload-texts.ts";
import { followUpload, type StudiesState, type UploadNews } from "./follow-upload.ts";
import { wait } from "./wait.ts";

/**
 * Returns the function that follows a finished upload: it refreshes the lists, shows news of the studies, then opens the list
 * if the person is still in the upload view.
 */
export function useFollowUpload(): (answer: UploadAnswer, signal: AbortSignal) => Promise<void> {
  const queryClient = useQueryClient();
  const store = useStore();
  const setLastSkipped = useSetAtom(lastSkippedAtom);
  const setLastConflicts = useSetAtom(lastConflictsAtom);
  const setNewStudies = useSetAtom(newStudiesAtom);
  const tell = useNewsToast();

  return async ({ studies, skipped, skippedCount, conflicts, conflictCount }, signal) => {
    setLastConflicts(conflictCount > 0 ? { conflicts, conflictCount } : undefined);
    setLastSkipped(skippedCount > 0 ? { skipped, skippedCount } : undefined);
    setNewStudies(studies.filter(({ imagesReceived }) => imagesReceived > 0).map(({ id }) => id));
    await refreshExams(queryClient);
    await followUpload({
      studyIds: studies.map(({ id }) => id),
      readStatus: (studyId) => readStatus(studyId, signal),
      announce: (news, standing) => tell(news, standing, { exams: studies.length, skippedCount }),
      // Somebody who is in another view by then, or answers a question, stays there; the tray opens the exam.
      leave: () => {
        const place = store.get(placeAtom);
        if (place.view === "uploadExames" && !hasDialog(place)) store.set(viewAtom, "listaExames");
      },
      wait: (ms) => wait(ms, signal),
    });
  };
}

/** How many exams an upload brought, and how many files it left out. */
interface Counts {
  exams: number;
  skippedCount: number;
}

function useNewsToast() {
  const { i18n, t } = useLingui();
  return (news: UploadNews, { failed, othersPending }: StudiesState, { exams, skippedCount }: Counts) => {
    const { tone, title, text } = newsTexts[news];
    const sentences = [i18n._({ ...text, values: { failed } })];
    if (exams > 1) sentences.unshift(t({ id: "upload.examsSent", message: `${exams} exams sent.` }));
    if (othersPending > 0 && (news === "ready" || news === "transferred")) {
      sentences.push(
        t({
          id: "upload.othersPending",
          message: plural(othersPending, {
            one: "# other exam is still on its way.",
            other: "# other exams are still on their way.",
          }),
        }),
      );
    }
    if (skippedCount > 0) {
      sentences.push(
        t({
          id: "upload.skippedCount",
          message: plural(skippedCount, { one: "# file skipped.", other: "# files skipped." }),
        }),
      );
    }
    showToast({ tone, title: i18n._(title), text: sentences.join(" ") });
  };
}

async function readStatus(studyId: string, signal: AbortSignal) {
  try {
    return await studiesApi.status(studyId, signal);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
