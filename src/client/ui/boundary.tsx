import { Trans } from "@lingui/react/macro";
import { Component, type ReactNode } from "react";
import { ErrorCard } from "./error-card.tsx";
import { ChunkLost } from "./lazy-chunk.ts";

interface BoundaryProps {
  /** Shown in place of failed children. */
  failure: ReactNode;
  /** Shown instead where a chunk did not come; draws the children again. */
  lost?: (retry: () => void) => ReactNode;
  children?: ReactNode;
}

/** Catches its children's failures, so that the rest of the page goes on. */
export class Boundary extends Component<BoundaryProps, { error?: unknown; failed: boolean }> {
  override state = { failed: false, error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { failed: true, error };
  }

  override componentDidCatch(error: unknown) {
    if (error instanceof ChunkLost) error.forget();
  }

  readonly retry = () => this.setState({ failed: false, error: undefined });

  override render() {
    const { failure, lost, children } = this.props;
    if (!this.state.failed) return children;
    return lost && (this.state.error as unknown) instanceof ChunkLost ? lost(this.retry) : failure;
  }
}

/** Names the failure and offers to reload the page. */
export function ReloadCard({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <ErrorCard
      title={title}
      action={{
        label: <Trans id="action.reload">Reload the page</Trans>,
        run: () => window.location.reload(),
      }}
    >
      {children}
    </ErrorCard>
  );
}
