import { Trans } from "@lingui/react/macro";
import { Component, type ReactNode } from "react";
import { ErrorCard } from "./error-card.tsx";

interface BoundaryProps {
  /** Takes the place of what failed. */
  failure: ReactNode;
  children?: ReactNode;
}

/** Keeps the failure of what it holds to itself. */
export class Boundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? this.props.failure : this.props.children;
  }
}

/** What failed, and that a new page may help. */
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
