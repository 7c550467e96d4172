import { Trans, useLingui } from "@lingui/react/macro";
import { Dialog as RadixDialog } from "radix-ui";
import { Suspense, useRef, useState } from "react";
import type { Visit, VisitedStudy } from "../../../shared/api/links.ts";
import type { ViewerChoice } from "../../preferences.ts";
import { useBackCloses } from "../../ui/hooks/use-back-closes.ts";
import { useFocusReturn } from "../../ui/hooks/use-focus-return.ts";
import { useOpener } from "../../ui/hooks/use-opener.ts";
import { lazyChunk } from "../../ui/lazy-chunk.ts";
import type { StackSource } from "../../visor/core/source.ts";
import { dateText, descriptionText, patientText } from "../studies/study-text.ts";
import { FrameEnd } from "../viewer/frame-end.tsx";
import { ViewerHead } from "../viewer/viewer-head.tsx";
import { VisitedVisor } from "./visited-visor.tsx";

const VisitedOhif = lazyChunk(() => import("./visited-ohif.tsx"));

interface VisitedViewerProps {
  study: VisitedStudy;
  visit: Visit;
  viewerOrigin: string;
  source: StackSource;
  /** The one that opens first. */
  first: ViewerChoice;
  onClose: () => void;
  /** The link was ended meanwhile. */
  onClosed: () => void;
  /** Told what the visit is now. */
  onRead: (visit: Visit) => void;
}

/** A study of a link over its page, in our own viewer or in OHIF; the browser's way back closes it. */
export function VisitedViewer({ first, onClose, onClosed, ...visited }: VisitedViewerProps) {
  const { study } = visited;
  const { i18n } = useLingui();
  const [viewer, setViewer] = useState(first);
  const back = useBackCloses(onClose);
  // A visor that is loaded already takes the focus before the dialog asks what had it.
  const { onOpenAutoFocus, onCloseAutoFocus } = useFocusReturn(useOpener(true));
  const content = useRef<HTMLDivElement>(null);
  const isOhif = viewer === "ohif";
  return (
    <RadixDialog.Root open onOpenChange={(open) => !open && back()}>
      <RadixDialog.Portal>
        <RadixDialog.Content
          ref={content}
          className={isOhif ? "viewer" : "viewer-visor"}
          data-theme="dark"
          {...(!isOhif && { "aria-describedby": undefined })}
          onOpenAutoFocus={(event) => {
            onOpenAutoFocus(event);
            if (!isOhif) return;
            // Not on a button, because the images take it once they are shown.
            event.preventDefault();
            content.current?.focus();
          }}
          onCloseAutoFocus={onCloseAutoFocus}
        >
          {isOhif ? (
            <>
              <ViewerHead
                title={descriptionText(i18n, study)}
                facts={<Facts study={study} />}
                onOpenVisor={() => setViewer("visor")}
              />
              <Suspense fallback={<div className="viewer-stage" aria-busy="true" />}>
                <VisitedOhif {...visited} onLeave={back} onClosed={onClosed} />
              </Suspense>
              <FrameEnd dialog={content} />
            </>
          ) : (
            <>
              <RadixDialog.Title className="sr-only">{descriptionText(i18n, study)}</RadixDialog.Title>
              <VisitedVisor
                {...visited}
                onOpenOhif={() => setViewer("ohif")}
                onBack={back}
                onClosed={onClosed}
              />
            </>
          )}
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

function Facts({ study }: { study: VisitedStudy }) {
  const { i18n } = useLingui();
  return (
    <>
      <span>{patientText(i18n, study)}</span>
      <span>{dateText(i18n, study.studyDate)}</span>
      <span className="viewer-notice">
        <Trans id="viewer.notForDiagnosis">Not for primary diagnosis</Trans>
      </span>
    </>
  );
}
