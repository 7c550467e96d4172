import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useAtom, useSetAtom } from "jotai";
import type { Study } from "../../../../shared/api/studies.ts";
import { ApiError } from "../../../calls/api.ts";
import { EXAMS_AND_USAGE } from "../../../calls/query-keys.ts";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { useOwnClose } from "../../places/use-own-close.ts";
import { useUsageStats } from "../../plan/use-subscription.ts";
import { useHis } from "../../session/his-context.ts";
import { markBusyAtom } from "../../studies/busy-studies.ts";
import { isStudyGone } from "../../studies/is-study-gone.ts";
import { studiesApi } from "../../studies/studies-api.ts";
import { dateText, descriptionText } from "../../studies/study-text.ts";
import { useFoundStudy } from "../../studies/use-found-study.ts";
import { selectAtom } from "../selection/selection.ts";
import { FreeRefusal, isFreeToRefuse } from "./free-refusal.tsx";
import { deletionSubject } from "./list-actions.ts";
import { StudyQuote } from "./study-quote.tsx";

/** Asks for confirmation and deletes a study. */
export function DeleteStudyDialog() {
  const [study, setStudy] = useAtom(deletionSubject.valueAtom);
  useFoundStudy(deletionSubject);
  return study ? <Question key={study.id} study={study} onClose={() => setStudy(undefined)} /> : null;
}

function Question({ study, onClose }: { study: Study; onClose: () => void }) {
  const { t } = useLingui();
  const deletion = useDeletion(useOwnClose(onClose));
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open && !deletion.isPending) onClose();
      }}
      title={t({ id: "study.delete.title", message: "Confirm deletion" })}
      text={t({
        id: "study.delete.text",
        message: "All files and data of this exam will be removed. This action cannot be undone.",
      })}
      confirmLabel={
        deletion.isPending ? (
          <Trans id="action.deleting">Deleting…</Trans>
        ) : (
          <Trans id="action.delete">Delete</Trans>
        )
      }
      onConfirm={() => deletion.mutate(study)}
      busy={deletion.isPending}
    >
      <WhatIsLost study={study} />
    </ConfirmDialog>
  );
}

function WhatIsLost({ study }: { study: Study }) {
  const isFree = study.receivedFrom !== null && isFreeToRefuse(study.createdAt);
  return (
    <>
      <StudyQuote study={study} />
      {isFree ? <FreeRefusal /> : <ActionCost />}
    </>
  );
}

/** A deletion counts as an action for everyone with a subscription. */
function ActionCost() {
  const { t } = useLingui();
  const { user } = useHis();
  const isCounted = user.role !== "admin";
  const { data } = useUsageStats({ enabled: isCounted });
  if (!isCounted) return null;
  const left = data?.actionsRemaining;
  return (
    <p className="study-cost">
      {left === undefined
        ? t({ id: "study.delete.cost", message: "Counts as 1 of this month's actions." })
        : t({
            id: "study.delete.costOf",
            message: plural(left, {
              one: "Counts as 1 action of the month (# left).",
              other: "Counts as 1 action of the month (# left).",
            }),
          })}
    </p>
  );
}

/** The server's message; an answer without a message and a missing answer have texts of their own. */
function failureText(error: Error, texts: { wordless: string; unknown: string }): string {
  if (!(error instanceof ApiError)) return texts.unknown;
  return error.code === "unknown" ? texts.wordless : error.message;
}

function useDeletion(onSettled: () => void) {
  const { i18n, t } = useLingui();
  const markBusy = useSetAtom(markBusyAtom);
  const select = useSetAtom(selectAtom);
  const forget = useSetAtom(deletionSubject.forgetAtom);
  return useMutation({
    meta: { changes: EXAMS_AND_USAGE },
    mutationFn: (study: Study) => studiesApi.remove(study.id),
    onMutate: ({ id }) => markBusy({ id, busy: true }),
    onSuccess: (_answer, study) =>
      showToast({
        tone: "ok",
        title: t({ id: "study.deleted", message: "Exam deleted" }),
        text: `${descriptionText(i18n, study)}, ${dateText(i18n, study.studyDate)}`,
      }),
    onError: (error) => {
      showToast({
        tone: "bad",
        title: t({ id: "study.deleteFailed", message: "Error deleting" }),
        text: failureText(error, {
          wordless: t({ id: "study.deleteRefused", message: "Error deleting exam" }),
          unknown: t({ id: "error.unknown", message: "Unknown error" }),
        }),
      });
    },
    onSettled: (_answer, error, study) => {
      markBusy({ id: study.id, busy: false });
      if (!error || isStudyGone(error)) select({ studies: [study], isSelected: false });
      onSettled();
      // Forward leads to this question again, which asks the server then.
      forget(study.id);
    },
  });
}
