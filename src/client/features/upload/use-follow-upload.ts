import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useSetAtom } from "jotai";
import type { UploadAnswer } from "../../../shared/api/upload.ts";
import { ApiError } from "../../api.ts";
import { showToast } from "../../ui/toast.tsx";
import { viewAtom } from "../his/views.ts";
import { refreshExams } from "../studies/refresh-exams.ts";
import { studiesApi } from "../studies/studies-api.ts";
import { followUpload } from "./follow-upload.ts";
import { lastSkippedAtom } from "./last-upload.ts";
import { newsTexts } from "./upload-texts.ts";
import { wait } from "./wait.ts";

/** Answers what follows a finished upload: fresh lists, news of its first study, then the list. */
export function useFollowUpload(): (answer: UploadAnswer, signal: AbortSignal) => Promise<void> {
  const { i18n, t } = useLingui();
  const queryClient = useQueryClient();
  const setView = useSetAtom(viewAtom);
  const setLastSkipped = useSetAtom(lastSkippedAtom);

  return async ({ studies, skipped, skippedCount }, signal) => {
    setLastSkipped(skippedCount > 0 ? { skipped, skippedCount } : undefined);
    await refreshExams(queryClient);
    const left = t({
      id: "upload.skippedCount",
      message: plural(skippedCount, { one: "# file skipped.", other: "# files skipped." }),
    });
    await followUpload({
      readStatus: () => readStatus(studies[0]?.id, signal),
      announce: (news) => {
        const { tone, title, text } = newsTexts[news];
        const told = skippedCount > 0 ? `${i18n._(text)} ${left}` : i18n._(text);
        showToast({ tone, title: i18n._(title), text: told });
      },
      leave: () => setView("listaExames"),
      wait: (ms) => wait(ms, signal),
    });
  };
}

async function readStatus(studyId: string | undefined, signal: AbortSignal) {
  if (!studyId) return undefined;
  try {
    return await studiesApi.status(studyId, signal);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
