import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import type { Study, ViewerObstacle } from "../../../shared/api/studies.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorCard } from "../../ui/error-card.tsx";
import { DownloadIcon } from "../../ui/icons.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useHis } from "../session/his-context.ts";
import { useAccessEnd } from "../sharing/use-access-end.ts";
import { descriptionText } from "../studies/study-text.ts";
import { useDownload } from "../studies/use-download.ts";
import { usePicture } from "../studies/use-picture.ts";
import { useViewerPage, type ViewerFailure, viewerSandbox } from "./use-viewer-page.ts";

const failureTexts: Record<ViewerFailure, MessageDescriptor> = {
  noSession: msg({ id: "viewer.noSession", message: "Access token not found. Please log in again." }),
  connection: msg({ id: "offline.title", message: "No connection" }),
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

interface ViewerStageProps {
  study: Study;
  /** The session or the access to this study has ended. */
  onRefused: () => void;
  /** The person pressed Escape inside the viewer. */
  onLeave?: () => void;
}

/** The image area: the study's small picture until the viewer has drawn an image, then the viewer. */
export function ViewerStage({ study, onRefused, onLeave }: ViewerStageProps) {
  const { i18n, t } = useLingui();
  const { user } = useHis();
  const description = descriptionText(i18n, study);
  const { page, frame, percent, onLoaded, retry } = useViewerPage(study.id, user.id, onLeave);
  useAccessEnd(study.id, onRefused);
  const isWaiting = page.state === "opening" || page.state === "loading";
  const failure = page.state === "failed" ? page.failure : undefined;
  const stage = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (failure !== "noSession") return;
    showToast({
      tone: "bad",
      title: t({ id: "viewer.authError", message: "Authentication error" }),
      text: i18n._(failureTexts.noSession),
    });
    onRefused();
  }, [failure, i18n, t, onRefused]);

  // Moves the focus to the viewer so that keys scroll the slices, unless the person has focused another control.
  const isShown = page.state === "shown";
  useEffect(() => {
    if (isShown && document.activeElement?.contains(stage.current)) frame.current?.focus();
  }, [isShown, frame]);

  return (
    <div className="viewer-stage" aria-busy={isWaiting} ref={stage}>
      {isWaiting && <Opening study={study} percent={percent} />}
      {page.state === "unseen" && <Unseen study={study} obstacle={page.obstacle} />}
      {failure && (
        <div className="viewer-failed">
          <ErrorCard
            title={i18n._(failureTexts[failure])}
            action={{ label: <Trans id="action.retry">Try again</Trans>, run: retry }}
          >
            {failure === "connection" ? (
              <Trans id="viewer.offline">The images open once you are connected. Your exam is safe.</Trans>
            ) : (
              <Trans id="viewer.safe">Your exam is safe.</Trans>
            )}
          </ErrorCard>
        </div>
      )}
      {(page.state === "loading" || page.state === "shown") && (
        <iframe
          ref={frame}
          className={isShown ? "is-shown" : undefined}
          src={page.url}
          sandbox={viewerSandbox(page.url)}
          title={t({ id: "viewer.frame", message: `Images of ${description}` })}
          allow="fullscreen"
          onLoad={onLoaded}
        />
      )}
    </div>
  );
}

function Opening({ study, percent }: { study: Study; percent: number | undefined }) {
  const { t } = useLingui();
  const picture = usePicture({ study, imagesReceived: study.imagesReceived, isSeen: true });
  return (
    <>
      {picture && <img className="viewer-picture" src={picture} alt="" />}
      <div className="viewer-wait">
        <p>
          <span role="status">
            <Trans id="viewer.opening">Opening the images…</Trans>
          </span>
          {percent !== undefined && <span className="viewer-percent">{percent}%</span>}
        </p>
        {percent !== undefined && (
          <progress
            aria-label={t({ id: "viewer.progress", message: "Loading the viewer" })}
            value={percent}
            max={100}
          />
        )}
      </div>
    </>
  );
}

/** Nothing failed: the study is stored completely, but this viewer can't show it. */
function Unseen({ study, obstacle }: { study: Study; obstacle: ViewerObstacle }) {
  const download = useDownload();
  return (
    <section className="viewer-unseen" role="status">
      <h2>
        {obstacle === "no_images" ? (
          <Trans id="viewer.noImages">This exam has no images to show</Trans>
        ) : (
          <Trans id="viewer.noDecoder">Images of this kind can't be shown here</Trans>
        )}
      </h2>
      <p>
        {obstacle === "no_images" ? (
          <Trans id="viewer.noImages.text">
            It holds documents or data instead. They are kept unharmed, as they were sent.
          </Trans>
        ) : (
          <Trans id="viewer.noDecoder.text">
            They are stored in a rare or retired format. They are kept unharmed, as they were sent.
          </Trans>
        )}{" "}
        {study.access.download && <Trans id="viewer.canDownload">You can download them.</Trans>}
      </p>
      {study.access.download && (
        <Button onClick={() => void download(study)}>
          <DownloadIcon small />
          <Trans id="study.download">Download exam</Trans>
        </Button>
      )}
    </section>
  );
}
