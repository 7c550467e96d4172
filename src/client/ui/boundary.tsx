import { Trans } from "@lingui/react/macro";
import { Component, type ReactNode } from "react";
import { ErrorCard } from "./error-card.tsx";

interface BoundaryProps {
  /** Shown in place of failed children. */
  failure: ReactNode;
  children?: ReactNode;
}

/** Catches its children's failures, so that the rest of the page goes on. */
export class Boundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? this.props.failure : this.props.children;
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
