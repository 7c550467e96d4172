import { I18nProvider } from "@lingui/react";
import { Trans } from "@lingui/react/macro";
import { Component, type ReactNode, StrictMode } from "react";
import { i18n } from "./i18n.ts";
import { ErrorCard } from "./ui/error-card.tsx";

interface IslandRootProps {
  /** Called once what the island shows is on the page. */
  onReady: () => void;
  children?: ReactNode;
}

/** What every island stands on: its language, and a boundary that keeps its failure to itself. */
export function IslandRoot({ onReady, children }: IslandRootProps) {
  return (
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <IslandBoundary>
          {children}
          <Ready onReady={onReady} />
        </IslandBoundary>
      </I18nProvider>
    </StrictMode>
  );
}

function Ready({ onReady }: { onReady: () => void }) {
  return <span hidden ref={(element) => void (element && onReady())} />;
}

class IslandBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <main className="p-6">
        <ErrorCard
          title={<Trans id="island.failed.title">This page could not be shown</Trans>}
          action={{
            label: <Trans id="action.reload">Reload the page</Trans>,
            run: () => window.location.reload(),
          }}
        >
          <Trans id="island.failed.text">Your exams are safe. Reload the page to continue.</Trans>
        </ErrorCard>
      </main>
    );
  }
}
