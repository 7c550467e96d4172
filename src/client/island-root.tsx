import { I18nProvider, type TransRenderProps } from "@lingui/react";
import { Trans } from "@lingui/react/macro";
import { type ReactNode, StrictMode } from "react";
import { i18n } from "./i18n.ts";
import { Boundary, ReloadCard } from "./ui/boundary.tsx";
import { WholeDates } from "./ui/text/whole-dates.tsx";

interface IslandRootProps {
  /** Called once the island's content is on the page. */
  onReady: () => void;
  children?: ReactNode;
}

/** The root of every island: its language, and a boundary that contains its failures. */
export function IslandRoot({ onReady, children }: IslandRootProps) {
  return (
    <StrictMode>
      <I18nProvider i18n={i18n} defaultComponent={Translated}>
        <Boundary failure={<IslandFailure />}>
          {children}
          <Ready onReady={onReady} />
        </Boundary>
      </I18nProvider>
    </StrictMode>
  );
}

/** What every translated text is drawn with. */
function Translated({ translation }: TransRenderProps) {
  return <WholeDates>{translation}</WholeDates>;
}

function Ready({ onReady }: { onReady: () => void }) {
  return <span hidden ref={(element) => void (element && onReady())} />;
}

function IslandFailure() {
  return (
    <main className="p-6">
      <ReloadCard title={<Trans id="island.failed.title">This page could not be shown</Trans>}>
        <Trans id="island.failed.text">Your exams are safe. Reload the page to continue.</Trans>
      </ReloadCard>
    </main>
  );
}
