import { Trans, useLingui } from "@lingui/react/macro";
import { Button, IconButton } from "../../ui/button.tsx";
import { ArrowLeftIcon, EllipsisIcon, FileTextIcon } from "../../ui/icons.tsx";
import { CineBar } from "./cine-bar.tsx";
import { CompareIcon, OhifIcon, ShareIcon } from "./icons.ts";
import { keptPart } from "./kept-part.ts";
import { MeasuringStrip } from "./measuring-strip.tsx";
import { SeriesList } from "./series-list.tsx";
import type { Comparison } from "./use-comparison.ts";
import { documentKeyOf, type Opened } from "./use-opened.ts";
import { isFilm, type Visor } from "./use-visor.ts";
import { Seen } from "./visor-notes.tsx";
import type { VisorProps } from "./visor-props.ts";
import { stackName } from "./visor-texts.ts";
import { WindowChips } from "./window-chips.tsx";

/** What stands around the film. */
export interface FrameProps extends VisorProps {
  visor: Visor;
  comparison: Comparison;
  hasLaudo: boolean;
  beside: Opened["beside"];
  setBeside: Opened["setBeside"];
  onMenu: () => void;
}

function BackButton({ onBack }: Pick<VisorProps, "onBack">) {
  const { t } = useLingui();
  return (
    <IconButton className="visor-icon" label={t({ id: "visor.back", message: "Back" })} onClick={onBack}>
      <ArrowLeftIcon />
    </IconButton>
  );
}

function MenuButton({ onMenu }: Pick<FrameProps, "onMenu">) {
  const { t } = useLingui();
  return (
    <IconButton
      className="visor-icon"
      label={t({ id: "visor.more", message: "More options" })}
      aria-haspopup="dialog"
      onClick={onMenu}
    >
      <EllipsisIcon />
    </IconButton>
  );
}

export const PhoneHead = keptPart(["study", "stack", "ready", "failed"], HeadOfPhone);

function HeadOfPhone({ visor, onBack, onMenu }: Pick<FrameProps, "visor" | "onBack" | "onMenu">) {
  const { i18n } = useLingui();
  const { study, stack, ready, failed } = visor;
  // One that did not come is told on the slider.
  const share = stack && !stack.isBegun ? (ready + failed.length) / stack.slices.length : 0;
  return (
    <header className="visor-top">
      <BackButton onBack={onBack} />
      <div className="visor-title">
        <b>{study?.title}</b>
        <span>{[stack && stackName(i18n, stack), study?.date].filter(Boolean).join(" · ")}</span>
      </div>
      <MenuButton onMenu={onMenu} />
      {share < 1 && <span className="visor-progress" style={{ width: `${share * 100}%` }} />}
    </header>
  );
}

export function DesktopHead({
  visor,
  comparison,
  onBack,
  onMenu,
  hasLaudo,
  beside,
  setBeside,
  onShare,
  onOpenOhif,
  action,
}: FrameProps) {
  const isLaudoOpen = beside === "laudo";
  return (
    <header className="visor-top">
      <BackButton onBack={onBack} />
      <div className="visor-title">
        <b>{visor.study?.title}</b>
        <span>{visor.study?.detail}</span>
      </div>
      <span className="visor-note">
        <Trans id="viewer.notForDiagnosis">Not for primary diagnosis</Trans>
      </span>
      {comparison.toggle && (
        <Button
          size="small"
          on={comparison.isOpen}
          aria-pressed={comparison.isOpen}
          onClick={comparison.toggle}
        >
          <CompareIcon small />
          <Trans id="visor.compare">Compare</Trans>
        </Button>
      )}
      {hasLaudo && (
        <Button
          size="small"
          on={isLaudoOpen}
          aria-pressed={isLaudoOpen}
          onClick={() => setBeside(isLaudoOpen ? undefined : "laudo")}
        >
          <FileTextIcon small />
          <Trans id="visor.laudo">Report</Trans>
        </Button>
      )}
      {onShare && (
        <Button size="small" className="visor-in-menu" onClick={onShare}>
          <ShareIcon small />
          <Trans id="visor.share">Share</Trans>
        </Button>
      )}
      {onOpenOhif && (
        <Button size="small" className="visor-in-menu" onClick={onOpenOhif}>
          <OhifIcon small />
          <Trans id="visor.ohif">Open in OHIF</Trans>
        </Button>
      )}
      {action}
      <MenuButton onMenu={onMenu} />
    </header>
  );
}

export function PhoneFoot(props: FrameProps) {
  const { visor, laudo, beside, setBeside, documents, seriesPicture, localBar } = props;
  const isLaudoOpen = beside === "laudo";
  return (
    <footer className="visor-foot">
      <div className="visor-line">
        <Seen visor={visor} />
        <span>
          <Trans id="viewer.notForDiagnosis">Not for primary diagnosis</Trans>
        </span>
      </div>
      {localBar}
      <MeasuringStrip visor={visor} />
      <FilmBar visor={visor} />
      {(visor.presets.length > 0 || visor.ownVois.length > 0 || laudo) && (
        <div className="visor-choices">
          <WindowChips visor={visor} hasKeys={false} />
          {laudo && (
            <button
              type="button"
              className="visor-laudo"
              aria-expanded={isLaudoOpen}
              onClick={() => setBeside(isLaudoOpen ? undefined : "laudo")}
            >
              <FileTextIcon small />
              <Trans id="visor.laudo">Report</Trans>
            </button>
          )}
        </div>
      )}
      <SeriesList
        visor={visor}
        picture={seriesPicture}
        kind="strip"
        documents={documents}
        shownDocument={documentKeyOf(beside)}
        onDocument={setBeside}
      />
    </footer>
  );
}

/** The bar of a film that is played; nothing for slices of a body. */
export function FilmBar({ visor: { stack, cine, index, model } }: { visor: Visor }) {
  if (!stack || !isFilm(stack)) return null;
  return <CineBar cine={cine} index={index} count={stack.slices.length} onSeek={model.seek} />;
}
