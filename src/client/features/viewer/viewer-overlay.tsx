import { Trans, useLingui } from "@lingui/react/macro";
import { Dialog as RadixDialog } from "radix-ui";
import { useRef, useState } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { Button } from "../../ui/button.tsx";
import { PanelLeftIcon } from "../../ui/icons.tsx";
import { descriptionText } from "../studies/study-text.ts";
import { FrameEnd } from "./frame-end.tsx";
import { useOpenInPage } from "./shown-study.ts";
import { StudyVisor } from "./study-visor.tsx";
import { type OpenedSeries, opensDocument, useFirstViewer } from "./viewer-choice.tsx";
import { ViewerFacts } from "./viewer-facts.tsx";
import { ViewerHead } from "./viewer-head.tsx";
import { ViewerStage } from "./viewer-stage.tsx";

interface ViewerOverlayProps {
  study: Study;
  /** Undefined for the series that the server names. */
  beginWith?: OpenedSeries | undefined;
  onClose: () => void;
}

/** A study in the viewer, over everything else; dark in both themes. */
export function ViewerOverlay({ study, beginWith, onClose }: ViewerOverlayProps) {
  const first = useFirstViewer();
  const [viewer, setViewer] = useState(opensDocument(study, beginWith) ? "visor" : first);
  const content = useRef<HTMLDivElement>(null);
  const { i18n } = useLingui();
  const [opener] = useState(() => document.activeElement);
  return (
    <RadixDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Content
          ref={content}
          className={viewer === "ohif" ? "viewer" : "viewer-visor"}
          data-theme="dark"
          {...(viewer === "visor" && { "aria-describedby": undefined })}
          onOpenAutoFocus={(event) => {
            // The focus does not start on a button, because the images take it once they are shown.
            event.preventDefault();
            content.current?.focus();
          }}
          onCloseAutoFocus={() => {
            // Radix returns the focus only to a trigger of its own.
            if (opener instanceof HTMLElement) opener.focus();
          }}
        >
          {viewer === "ohif" ? (
            <>
              <ViewerHead
                title={descriptionText(i18n, study)}
                facts={<ViewerFacts study={study} />}
                onOpenVisor={() => setViewer("visor")}
              >
                <ShowInPage study={study} />
              </ViewerHead>
              <ViewerStage
                study={study}
                beginWith={beginWith?.seriesInstanceUID}
                onRefused={onClose}
                onLeave={onClose}
              />
              <FrameEnd dialog={content} />
            </>
          ) : (
            <>
              <RadixDialog.Title className="sr-only">{descriptionText(i18n, study)}</RadixDialog.Title>
              <StudyVisor
                study={study}
                beginWith={beginWith}
                onBack={onClose}
                onOpenOhif={() => setViewer("ohif")}
                canShare
              />
            </>
          )}
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

function ShowInPage({ study }: { study: Study }) {
  const openInPage = useOpenInPage();
  return (
    <Button className="viewer-in-page" onClick={() => openInPage(study)}>
      <PanelLeftIcon small />
      <span className="viewer-in-page-label">
        <Trans id="viewer.openInPage">Show beside the menu</Trans>
      </span>
    </Button>
  );
}
