import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { removalGraceHours } from "../../../shared/rules/subscription.ts";
import { answerInTime } from "../../calls/answer-in-time.ts";
import { ApiError } from "../../calls/api.ts";
import { failureText } from "../../calls/failure-text.ts";
import { actSurely } from "../../calls/may-be-done.ts";
import { refreshExams, refreshLabs, refreshSubscription } from "../../calls/query-keys.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { subscriptionsApi } from "../plan/subscriptions-api.ts";
import { DownloadMyData } from "../session/download-my-data.tsx";
import { readMySubscription } from "../session/use-my-subscription.ts";

interface CancelDialogProps {
  open: boolean;
  onClose: () => void;
}

/** Asks for a typed word before the subscription and all exams are deleted. */
export function CancelDialog({ open, onClose }: CancelDialogProps) {
  const { t } = useLingui();
  const [typed, setTyped] = useState("");
  const word = t({ id: "cancel.word", message: "CANCEL" });
  const close = () => {
    setTyped("");
    onClose();
  };
  const cancellation = useCancellation(close);
  const isWordTyped = typed.trim().toUpperCase() === word;
  const confirm = () => {
    if (isWordTyped && !cancellation.isPending) cancellation.mutate();
  };
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(isOpen) => {
        if (!isOpen && !cancellation.isPending) close();
      }}
      title={<Trans id="cancel.title">Cancel the subscription?</Trans>}
      text={<Trans id="cancel.text">Your access ends at once and your exams are deleted.</Trans>}
      dismissLabel={<Trans id="cancel.keep">Keep subscription</Trans>}
      confirmLabel={
        cancellation.isPending ? (
          <Trans id="cancel.pending">Cancelling…</Trans>
        ) : (
          <Trans id="cancel.confirm">Cancel and delete my exams</Trans>
        )
      }
      busy={cancellation.isPending}
      isReady={isWordTyped}
      onConfirm={confirm}
    >
      <div className="quote cancel-copy">
        <p className="cancel-copy-text">
          <Trans id="cancel.copyFirst">Keep a copy first: one file with all your exams and PDFs.</Trans>
        </p>
        <DownloadMyData />
      </div>
      <WhatIsLost />
      <form
        className="cancel-form"
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
        }}
      >
        <TextField
          label={<Trans id="cancel.type">Type {word} to confirm</Trans>}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </form>
    </ConfirmDialog>
  );
}

function WhatIsLost() {
  return (
    <ul className="cancel-losses">
      <li>
        <Trans id="cancel.exams">
          All your exams, reports and laboratory PDFs disappear from every view at once, also for the people
          you shared them with.
        </Trans>
      </li>
      <li>
        <Trans id="cancel.purge">
          After {removalGraceHours} hours they are erased for good. Until then an administrator can bring them
          back.
        </Trans>
      </li>
      <li>
        <Trans id="cancel.money">Nothing is refunded automatically.</Trans>
      </li>
    </ul>
  );
}

/** Asks the server; false if it can't be asked. */
async function isCancelled(): Promise<boolean> {
  try {
    return Boolean((await answerInTime(readMySubscription))?.cancelledAt);
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

function useCancellation(onDone: () => void) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => actSurely(subscriptionsApi.cancel, isCancelled),
    onSuccess: async () => {
      showToast({ tone: "ok", title: t({ id: "cancel.done", message: "Subscription cancelled" }) });
      onDone();
      await Promise.all([
        refreshSubscription(queryClient),
        refreshExams(queryClient),
        refreshLabs(queryClient),
      ]);
    },
    onError: (error) =>
      showToast({
        tone: "bad",
        title: t({ id: "cancel.failed", message: "The subscription could not be cancelled" }),
        text: failureText(error),
      }),
  });
}
