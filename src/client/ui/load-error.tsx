import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { ErrorCard } from "./error-card.tsx";

interface LoadErrorProps {
  /** Names the data that could not be loaded. */
  title: ReactNode;
  error: Error;
  onRetry: () => void;
}

/** Says that data could not be loaded and why, and offers another try. */
export function LoadError({ title, error, onRetry }: LoadErrorProps) {
  return (
    <ErrorCard
      title={title}
      action={{ label: <Trans id="action.retry">Try again</Trans>, run: () => onRetry() }}
    >
      {error.message}
    </ErrorCard>
  );
}
