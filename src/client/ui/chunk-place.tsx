import { Trans } from "@lingui/react/macro";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import { Boundary } from "./boundary.tsx";
import { ErrorCard } from "./error-card.tsx";
import { useIsOnline } from "./hooks/use-is-online.ts";
import { useServerReturn } from "./hooks/use-server-return.ts";
import { WifiOffIcon } from "./icons.tsx";

/** What is in a cache comes sooner, also without a connection. */
const PATIENCE_MS = 600;

interface ChunkPlaceProps {
  /** Holds the place of the chunk while it comes. */
  shape: ReactNode;
  /** Shown in place of children that failed by themselves. */
  failure: ReactNode;
  /** Above what is said of a chunk that does not come. */
  head?: ReactNode;
  children: ReactNode;
}

/** The place of a chunk. It says when there is no connection; once that, or the server, is back the chunk comes by itself. */
export function ChunkPlace({ shape, failure, head, children }: ChunkPlaceProps) {
  return (
    <Boundary
      failure={failure}
      lost={(retry) => (
        <>
          {head}
          <LostCard onRetry={retry} />
        </>
      )}
    >
      <Suspense fallback={<Waiting shape={shape} head={head} />}>{children}</Suspense>
    </Boundary>
  );
}

function Waiting({ shape, head }: Pick<ChunkPlaceProps, "shape" | "head">) {
  const isOnline = useIsOnline();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (isOnline || !isLate) return shape;
  return (
    <>
      {head}
      <section className="error-card" role="status">
        <WifiOffIcon />
        <div className="min-w-0 flex-1">
          <h2>
            <Trans id="offline.title">No connection</Trans>
          </h2>
          <p>
            <Trans id="offline.view">
              This view opens by itself once you are connected. Your exams are safe.
            </Trans>
          </p>
        </div>
      </section>
    </>
  );
}

function LostCard({ onRetry }: { onRetry: () => void }) {
  useServerReturn(onRetry);
  return (
    <ErrorCard
      title={<Trans id="view.lost.title">This view could not be loaded</Trans>}
      action={{ label: <Trans id="action.retry">Try again</Trans>, run: onRetry }}
    >
      <Trans id="view.lost.text">
        Check your connection. If it fails again, reload the page. Your exams are safe.
      </Trans>
    </ErrorCard>
  );
}
