import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useEffectEvent, useRef } from "react";
import type { ViewerObstacle } from "../../../shared/api/studies.ts";
import { ErrorCard } from "../../ui/error-card.tsx";
import { useServerReturn } from "../../ui/hooks/use-server-return.ts";
import { showToast } from "../../ui/toast.tsx";
import { type FindViewerPage, useViewerPage, type ViewerFailure, viewerSandbox } from "./use-viewer-page.ts";

const failureTexts: Record<ViewerFailure, MessageDescriptor> = {
  noSession: msg({ id: "viewer.noSession", message: "Access token not found. Please log in again." }),
  connection: msg({ id: "offline.title", message: "No connection" }),
  outage: msg({ id: "tray.serverAway.title", message: "Server unavailable" }),
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

interface ViewerFrameProps {
  /** Of the study. */
  description: string;
  find: FindViewerPage;
  /** The study's small picture. */
  picture?: ReactNode;
  /** What stands in the place of images that can't be shown. */
  unseen?: (obstacle: ViewerObstacle) => ReactNode;
  /** The session has ended. */
  onRefused?: () => void;
  /** The person pressed Escape inside the viewer. */
  onLeave?: (() => void) | undefined;
}

/** OHIF in a frame; the study's small picture until it has drawn an image. */
export function ViewerFrame({ description, find, picture, unseen, onRefused, onLeave }: ViewerFrameProps) {
  const { i18n, t } = useLingui();
  const { page, frame, percent, onLoaded, retry } = useViewerPage(find, onLeave);
  const isWaiting = page.state === "opening" || page.state === "loading";
  const failure = page.state === "failed" ? page.failure : undefined;
  const stage = useRef<HTMLDivElement>(null);

  const tellRefused = useEffectEvent(() => {
    showToast({
      tone: "bad",
      title: t({ id: "viewer.authError", message: "Authentication error" }),
      text: i18n._(failureTexts.noSession),
    });
    onRefused?.();
  });
  useEffect(() => {
    if (failure === "noSession") tellRefused();
  }, [failure]);

  // Moves the focus to the viewer so that keys scroll the slices, unless the person has focused another control.
  const isShown = page.state === "shown";
  useEffect(() => {
    if (isShown && document.activeElement?.contains(stage.current)) frame.current?.focus();
  }, [isShown, frame]);

  return (
    <div className="viewer-stage" aria-busy={isWaiting} ref={stage}>
      {isWaiting && picture}
      {isWaiting && <Waiting percent={percent} />}
      {page.state === "unseen" && unseen?.(page.obstacle)}
      {(failure === "connection" || failure === "outage") && <ServerReturn onReturn={retry} />}
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

/** Stands where the server gave no page: the browser tells of its own connection only. */
function ServerReturn({ onReturn }: { onReturn: () => void }): null {
  useServerReturn(onReturn);
  return null;
}

function Waiting({ percent }: { percent: number | undefined }) {
  const { t } = useLingui();
  return (
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
  );
}
