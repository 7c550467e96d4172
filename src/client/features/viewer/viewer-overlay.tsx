import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Dialog as RadixDialog } from "radix-ui";
import { useEffect } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorCard } from "../../ui/error-card.tsx";
import { CloseIcon } from "../../ui/icons.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useHis } from "../his/his-context.ts";
import { dateText, descriptionText, patientText } from "../studies/study-text.ts";
import { useViewerPage, type ViewerFailure } from "./use-viewer-page.ts";

const failureTexts: Record<ViewerFailure, MessageDescriptor> = {
  noSession: msg({ id: "viewer.noSession", message: "Access token not found. Please log in again." }),
  assign: msg({
    id: "viewer.assignFailed",
    message: "Error opening the viewer. Check that the study has valid images.",
  }),
  token: msg({ id: "viewer.tokenFailed", message: "Error loading the viewer" }),
  page: msg({
    id: "viewer.pageFailed",
    message: "Error loading the viewer. Check that the OHIF server is running.",
  }),
};

interface ViewerOverlayProps {
  study: Study;
  onClose: () => void;
}

/** A study in the viewer, over everything else; dark in both themes. */
export default function ViewerOverlay({ study, onClose }: ViewerOverlayProps) {
  const { i18n, t } = useLingui();
  const { user } = useHis();
  const description = descriptionText(i18n, study);
  const { page, onLoaded, retry } = useViewerPage(study.id, user.id);
  const failure = page.state === "failed" ? page.failure : undefined;

  useEffect(() => {
    if (failure !== "noSession") return;
    showToast({
      tone: "bad",
      title: t({ id: "viewer.authError", message: "Authentication error" }),
      text: i18n._(failureTexts.noSession),
    });
    onClose();
  }, [failure, i18n, t, onClose]);

  return (
    <RadixDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Content className="viewer" data-theme="dark">
          <ViewerHead study={study} />
          <div className="viewer-stage" aria-busy={page.state === "opening" || page.state === "loading"}>
            {(page.state === "opening" || page.state === "loading") && (
              <p className="viewer-wait" role="status">
                <Trans id="viewer.opening">Opening the images…</Trans>
              </p>
            )}
            {failure && (
              <div className="viewer-failed">
                <ErrorCard
                  title={i18n._(failureTexts[failure])}
                  action={{ label: <Trans id="action.retry">Try again</Trans>, run: retry }}
                >
                  <Trans id="viewer.safe">Your exam is safe.</Trans>
                </ErrorCard>
              </div>
            )}
            {(page.state === "loading" || page.state === "shown") && (
              <iframe
                className={page.state === "shown" ? "is-shown" : undefined}
                src={page.url}
                title={t({ id: "viewer.frame", message: `Images of ${description}` })}
                allow="fullscreen"
                onLoad={onLoaded}
              />
            )}
          </div>
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

function ViewerHead({ study }: { study: Study }) {
  const { i18n } = useLingui();
  return (
    <header className="viewer-head">
      <div>
        <RadixDialog.Title className="viewer-title">{descriptionText(i18n, study)}</RadixDialog.Title>
        <RadixDialog.Description className="viewer-facts">
          <span>{patientText(i18n, study)}</span>
          <span>{dateText(study.studyDate)}</span>
          <span className="viewer-notice">
            <Trans id="viewer.notForDiagnosis">Not for primary diagnosis</Trans>
          </span>
        </RadixDialog.Description>
      </div>
      <RadixDialog.Close asChild>
        <Button>
          <CloseIcon small />
          <Trans id="action.close">Close</Trans>
        </Button>
      </RadixDialog.Close>
    </header>
  );
}
