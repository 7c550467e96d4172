import { Trans } from "@lingui/react/macro";
import { type ReactNode, useEffect, useEffectEvent } from "react";
import { Button } from "../../ui/button.tsx";
import { useIsOnline } from "../../ui/hooks/use-is-online.ts";
import { ImageIcon } from "./icons.ts";
import type { Visor } from "./use-visor.ts";

/** Whether words stand in the place of the film. */
export function hasProblem({ state: { phase }, failure, stack }: Visor): boolean {
  if (phase === "empty" || phase === "failed" || phase === "ended") return true;
  // While the first image stands alone, its place is unknown: its stack reports the failure later.
  return failure !== undefined && !stack?.isBegun;
}

/** What went wrong, and the way on. What a lost connection took is read again once it is back. */
export function Problem({ visor }: { visor: Visor }) {
  const { phase } = visor.state;
  const tryAgain = useEffectEvent(() => {
    if (phase === "failed") visor.reopen();
    else if (visor.failure === "lost") visor.retry();
  });
  const isOnline = useIsOnline();
  useEffect(() => {
    if (isOnline) tryAgain();
  }, [isOnline]);
  if (!hasProblem(visor)) return null;
  if (phase === "empty") {
    return (
      <div className="visor-problem" role="status">
        <b>
          <Trans id="visor.empty">This exam has no images to show.</Trans>
        </b>
      </div>
    );
  }
  if (phase === "ended") return <Ended />;
  return phase === "failed" ? (
    <NotOpened visor={visor} isOnline={isOnline} />
  ) : (
    <NoImage visor={visor} isOnline={isOnline} />
  );
}

function Ended({ onRetry }: { onRetry?: () => void }) {
  return (
    <div className="visor-problem" role="alert">
      <b>
        <Trans id="visor.ended">Access to this exam has ended</Trans>
      </b>
      {onRetry && (
        <Button onClick={onRetry}>
          <Trans id="action.retry">Try again</Trans>
        </Button>
      )}
    </div>
  );
}

/** Stands where an image would be. */
function MissingImage({ onRetry, children }: { onRetry: () => void; children: ReactNode }) {
  return (
    <div className="visor-problem" role="alert">
      <span className="visor-missing">
        <ImageIcon />
      </span>
      {children}
      <Button onClick={onRetry}>
        <Trans id="action.retry">Try again</Trans>
      </Button>
    </div>
  );
}

interface DamagedProps {
  number: number;
  /** How many images the series has, if none of them can be shown. */
  count: number | undefined;
  onRetry: () => void;
}

function Damaged({ number, count, onRetry }: DamagedProps) {
  return (
    <MissingImage onRetry={onRetry}>
      <b>
        {count ? (
          <Trans id="visor.damaged.all">None of the {count} images of this series can be shown</Trans>
        ) : (
          <Trans id="visor.damaged">The stored image {number} is damaged</Trans>
        )}
      </b>
      <p>
        {count ? (
          <Trans id="visor.damaged.allText">
            What is stored no longer matches what was received. The administrator was told.
          </Trans>
        ) : (
          <Trans id="visor.damaged.text">
            It no longer matches what was received, so it is not shown. The administrator was told.
          </Trans>
        )}
      </p>
    </MissingImage>
  );
}

interface ProblemProps {
  visor: Visor;
  isOnline: boolean;
}

function NotOpened({ visor, isOnline }: ProblemProps) {
  return (
    <div className="visor-problem" role="alert">
      {isOnline ? (
        <b>
          <Trans id="visor.failed">The exam could not be opened</Trans>
        </b>
      ) : (
        <>
          <b>
            <Trans id="visor.offline">No connection</Trans>
          </b>
          <p>
            <Trans id="visor.offline.text">The exam opens by itself when it is back.</Trans>
          </p>
        </>
      )}
      {visor.study && (
        <Button onClick={visor.reopen}>
          <Trans id="action.retry">Try again</Trans>
        </Button>
      )}
    </div>
  );
}

function NoImage({ visor: { failure, stack, index, ready, failed, retry }, isOnline }: ProblemProps) {
  if (failure === "ended") return <Ended onRetry={retry} />;
  const number = index + 1;
  const count = stack?.slices.length ?? 0;
  const isWhole = count > 1 && failed.length === count;
  if (failure === "damaged")
    return <Damaged number={number} count={isWhole ? count : undefined} onRetry={retry} />;
  const others = count - failed.length;
  return (
    <MissingImage onRetry={retry}>
      <b>
        {failure === "lost" ? (
          <Trans id="visor.lost">Image {number} did not arrive</Trans>
        ) : (
          <Trans id="visor.unreadable">Image {number} can't be shown here</Trans>
        )}
      </b>
      <p>
        {failure !== "lost" ? (
          <Trans id="visor.unreadable.text">
            Its data are damaged or of a rare kind. The stored file is unchanged.
          </Trans>
        ) : isOnline && (others === 0 || ready < others) ? (
          <Trans id="visor.lost.alone">It is asked for again by itself.</Trans>
        ) : isOnline ? (
          <Trans id="visor.lost.text">The other {others} are here. The stored file is intact.</Trans>
        ) : (
          <Trans id="visor.lost.offline">No connection. It resumes by itself.</Trans>
        )}
      </p>
    </MissingImage>
  );
}
