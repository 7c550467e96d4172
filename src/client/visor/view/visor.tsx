import { useLingui } from "@lingui/react/macro";
import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { closeInnerStep } from "../../ui/hooks/close-inner-step.ts";
import { PHONE, useMediaQuery } from "../../ui/hooks/use-media-query.ts";
import type { DocumentRecord } from "../core/source.ts";
import type { AskedDocument } from "../core/visor-model.ts";
import { warmDecoder } from "../decode/start-worker.ts";
import { warmGraphics } from "../draw/renderer.ts";
import { BesideSheet } from "./beside-sheet.tsx";
import { ComparedPorts } from "./compared-ports.tsx";
import { FilmPort } from "./film-port.tsx";
import { InformationSheet } from "./information-sheet.tsx";
import { KeysSheet } from "./keys-sheet.tsx";
import { saveImage } from "./save-image.ts";
import { savedPicture } from "./saved-picture.ts";
import { SeriesColumn } from "./series-list.tsx";
import { SideGrips, useSideWidths } from "./side-grips.tsx";
import { useComparison } from "./use-comparison.ts";
import { documentKeyOf, type Opened, useOpened } from "./use-opened.ts";
import { type Visor as OpenVisor, useVisor } from "./use-visor.ts";
import { useVisorKeys } from "./use-visor-keys.ts";
import { isMeasuring } from "./view-settings.ts";
import { DesktopHead, FilmBar, PhoneFoot, PhoneHead } from "./visor-frames.tsx";
import { VisorMenu } from "./visor-menu.tsx";
import { Announcement, Corners, ScrollHint } from "./visor-notes.tsx";
import type { ExamProps, VisorProps } from "./visor-props.ts";
import { VisorTools } from "./visor-tools.tsx";

export { warmDecoder } from "../decode/start-worker.ts";
export { beginVisor } from "./visor-core.ts";
export type { VisorProps, VisorStudy } from "./visor-props.ts";

/** Has the browser ready what the first image needs besides this code. */
export function warmVisor(): void {
  warmDecoder();
  warmGraphics();
}

/** The viewer for stacks of images: dark in both themes, the whole screen. */
export default function Visor(props: VisorProps) {
  const { i18n } = useLingui();
  const own = useVisor(props);
  const isPhone = useMediaQuery(PHONE);
  const comparison = useComparison(own, props.findOthers);
  const [areCornersShown, setCornersShown] = useState(true);
  const sides = useSideWidths();
  const root = useRef<HTMLDivElement>(null);
  const takeFocus = () => root.current?.focus({ preventScroll: true });
  useEffect(takeFocus, []);

  const isComparing = comparison.isOpen;
  const isOtherActive = isComparing && comparison.isOtherActive;
  const visor = isOtherActive ? comparison.visor : own;
  const exam: ExamProps = (isOtherActive && comparison.chosen) || props;
  const examOf = ({ series }: DocumentRecord): ExamProps =>
    comparison.chosen?.studyInstanceUID === series.studyInstanceUID ? comparison.chosen : props;
  const hasLaudo = Boolean(props.laudo ?? (isComparing && comparison.chosen?.laudo));
  const opened = useOpened({ own: own.model, comparison, isComparing, hasLaudo, isPhone });
  const { sheet, showMenu, showKeys, closeAll, beside, setBeside } = opened;
  useAskedDocument(own, opened);
  useAskedDocument(comparison.visor, opened);
  const inSheet = { returnTo: opened.opener, onClose: opened.closeSheet };
  const leavePlace = props.onBack;
  const leave = useCallback(() => closeInnerStep(closeAll, leavePlace), [closeAll, leavePlace]);
  const onBack = isComparing ? comparison.close : leave;

  useVisorKeys(visor, {
    toggleCorners: () => setCornersShown((now) => !now),
    toggleBeside: opened.toggleBeside,
    showKeys,
    goFullScreen: () => void turnFullScreen(root.current),
    toggleComparison: () => comparison.toggle?.(),
    turnSide: () => isComparing && comparison.setOtherActive(!comparison.isOtherActive),
    closeSheet: sheet && opened.closeSheet,
    stepBack: isComparing ? comparison.close : undefined,
    leave: onBack,
  });
  const frame = {
    ...props,
    onBack,
    visor: own,
    comparison,
    hasLaudo,
    beside,
    setBeside,
    onMenu: showMenu,
  };
  const kinds = [
    "visor",
    isPhone ? "is-phone" : "is-desktop",
    isPhone && own.areBarsHidden && !beside && !isComparing && "has-no-bars",
    isPhone && beside && "has-laudo",
    own.state.phase === "empty" && "has-no-film",
    isPhone && isMeasuring(visor.settings.tool) && "is-measuring",
  ];
  // The menu calls it once it is closed: a film that is played shows another image by then.
  const savePicture = useEffectEvent(
    () => void saveImage(savedPicture(visor, i18n), visor.study?.title ?? ""),
  );
  return (
    <div
      ref={root}
      tabIndex={-1}
      data-theme="dark"
      style={sides.style}
      className={kinds.filter(Boolean).join(" ")}
    >
      {isPhone ? <PhoneHead visor={own} onBack={onBack} onMenu={showMenu} /> : <DesktopHead {...frame} />}
      {!isPhone && props.localBar}
      {!isPhone && (
        <SeriesColumn
          visor={own}
          picture={props.seriesPicture}
          comparison={comparison}
          documents={props.documents}
          shownDocument={documentKeyOf(beside)}
          onDocument={setBeside}
        />
      )}
      <div className="visor-main">
        {!isPhone && <VisorTools visor={visor} onShowKeys={showKeys} />}
        {isComparing ? (
          <ComparedPorts
            visor={own}
            comparison={comparison}
            preview={props.preview}
            areSidesShown={areCornersShown}
            areCornersShown={areCornersShown && !isPhone}
            onChosen={takeFocus}
          />
        ) : (
          <FilmPort visor={own} preview={props.preview} areSidesShown={areCornersShown}>
            {!isPhone && areCornersShown && <Corners visor={own} />}
          </FilmPort>
        )}
        {isPhone && !beside && !isComparing && <ScrollHint visor={own} />}
        {!isPhone && <FilmBar visor={visor} />}
      </div>
      {!isPhone && <SideGrips widths={sides} hasLaudo={beside !== undefined} />}
      {isPhone && <PhoneFoot {...frame} {...exam} visor={visor} />}
      {beside && (
        <BesideSheet
          shown={beside}
          laudo={exam.laudo}
          documents={props.documents}
          documentName={beside === "laudo" ? undefined : examOf(beside.document).documentName}
          isAlone={own.state.phase === "empty" && !isComparing}
          returnTo={opened.besideOpener}
          onClose={() => setBeside(undefined)}
          onEnded={props.onEnded}
        />
      )}
      {sheet === "menu" && (
        <VisorMenu
          {...props}
          menu={
            <>
              {props.menu}
              {isPhone && props.action}
            </>
          }
          visor={visor}
          onInformation={opened.showInformation}
          onCompare={isComparing ? undefined : comparison.toggle}
          onSaveImage={exam.documentName && (() => savePicture())}
          {...inSheet}
        />
      )}
      {sheet === "information" && (
        <InformationSheet visor={visor} {...inSheet}>
          {exam.information}
        </InformationSheet>
      )}
      {sheet === "keys" && <KeysSheet {...inSheet} />}
      <Announcement visor={visor} />
    </div>
  );
}

/** Takes the whole screen or gives it back, where the browser lets it. */
async function turnFullScreen(element: HTMLElement | null): Promise<void> {
  try {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await element?.requestFullscreen?.();
  } catch (error) {
    // The page around the frame forbids it, or the key was pressed too long ago.
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
  }
}

/** Opens a document that was asked for by its series. */
function useAskedDocument({ state: { asked } }: OpenVisor, { beside, setBeside }: Opened): void {
  const open = useEffectEvent(({ document, isFirst }: AskedDocument) => {
    if (!isFirst || !beside) setBeside(document.key);
  });
  useEffect(() => {
    if (asked) open(asked);
  }, [asked]);
}
