import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import type { Study } from "../../../../shared/api/studies.ts";
import { STUDIES } from "../../../calls/query-keys.ts";
import { Button } from "../../../ui/button.tsx";
import { TriangleAlertIcon } from "../../../ui/icons.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { studiesApi } from "../../studies/studies-api.ts";
import { findToggle } from "../pages/use-new-arrivals.ts";

/** In the open row of a study that did not reach the archive store: says so, and has its owner or an admin try it again at once. */
export function FailedTransfer({ study }: { study: Study }) {
  const { t } = useLingui();
  const retry = useMutation({
    meta: { changes: [[STUDIES]] },
    mutationFn: () => studiesApi.retryTransfer(study.id),
    // The button leaves with the failure, and the focus would fall to the page's beginning.
    onSuccess: () => findToggle(study.id)?.focus({ preventScroll: true }),
    onError: ({ message }) =>
      showToast({
        tone: "bad",
        title: t({ id: "study.transferNotRetried", message: "The transfer could not be started" }),
        text: message,
      }),
  });
  // A study whose files are missing has nothing to transfer.
  if (study.storageStatus !== "error" || study.integrity === "missing") return null;
  return (
    <div className="study-check is-bad">
      <TriangleAlertIcon />
      <p>
        <b>
          <Trans id="study.transferFailed">Not in the archive store</Trans>
        </b>
        <span>
          <Trans id="study.transferFailed.text">
            The transfer failed. The files are safe on the server; the images open once they are in the store.
          </Trans>
        </span>
      </p>
      {study.access.share && (
        <div className="study-check-actions">
          <Button size="small" disabled={retry.isPending} onClick={() => retry.mutate()}>
            <Trans id="action.retry">Try again</Trans>
          </Button>
        </div>
      )}
    </div>
  );
}
