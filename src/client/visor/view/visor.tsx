import { Trans, useLingui } from "@lingui/react/macro";
import { useCallback, useEffect, useRef, useState } from "react";
import { IconButton } from "../../ui/button.tsx";
import { DownloadIcon } from "../../ui/icons.tsx";
import { closeInnerStep } from "../../ui/use-inner-step.ts";
import { PHONE, useMediaQuery } from "../../ui/use-media-query.ts";
import { warmDecoder } from "../decode/start-worker.ts";
import { warmGraphics } from "../draw/renderer.ts";
import { ComparedPorts } from "./compared-ports.tsx";
import { FilmPort } from "./film-port.tsx";
import { InformationSheet } from "./information-sheet.tsx";
import { KeysSheet } from "./keys-sheet.tsx";
import { saveImage } from "./save-image.ts";
import { SeriesColumn } from "./series-list.tsx";
import { SideGrips, useSideWidths } from "./side-grips.tsx";
import { useComparison } from "./use-comparison.ts";
import { useOpened } from "./use-opened.ts";
import { useVisor } from "./use-visor.ts";
import { useVisorKeys } from "./use-visor-keys.ts";
import { isMeasuring } from "./view-settings.ts";
import { DesktopHead, FilmBar, PhoneFoot, PhoneHead } from "./visor-frames.tsx";
import { VisorMenu } from "./visor-menu.tsx";
import { Announcement, Corners, ScrollHint } from "./visor-notes.tsx";
import type { ExamProps, VisorProps } from "./visor-props.ts";
import { VisorSheet } from "./visor-sheet.tsx";
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
  const hasLaudo = Boolean(props.laudo ?? (isComparing && comparison.chosen?.laudo));
  const opened = useOpened({ comparison, isComparing, hasLaudo, isPhone });
  const { sheet, showMenu, showKeys, closeAll, isLaudoOpen, setLaudoOpen } = opened;
  const inSheet = { returnTo: opened.opener, onClose: opened.closeSheet };
  const leavePlace = props.onBack;
  const leave = useCallback(() => closeInnerStep(closeAll, leavePlace), [closeAll, leavePlace]);
  const onBack = isComparing ? comparison.close : leave;

  useVisorKeys(visor, {
    toggleCorners: () => setCornersShown((now) => !now),
    toggleLaudo: () => setLaudoOpen((now) => !now),
    showKeys,
    goFullScreen: () =>
      void (document.fullscreenElement ? document.exitFullscreen() : root.current?.requestFullscreen?.()),
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
    isLaudoOpen,
    setLaudoOpen,
    onMenu: showMenu,
  };
  const kinds = [
    "visor",
    isPhone ? "is-phone" : "is-desktop",
    isPhone && own.areBarsHidden && !isLaudoOpen && !isComparing && "has-no-bars",
    isPhone && isLaudoOpen && "has-laudo",
    isPhone && isMeasuring(visor.settings.tool) && "is-measuring",
  ];
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
      {!isPhone && <SeriesColumn visor={own} picture={props.seriesPicture} comparison={comparison} />}
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
        {isPhone && !isLaudoOpen && !isComparing && <ScrollHint visor={own} />}
        {!isPhone && <FilmBar visor={visor} />}
      </div>
      {!isPhone && <SideGrips widths={sides} hasLaudo={isLaudoOpen} />}
      {isPhone && <PhoneFoot {...frame} {...exam} visor={visor} />}
      {isLaudoOpen && <LaudoSheet {...exam} onClose={() => setLaudoOpen(false)} />}
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
          onSaveImage={() => void saveImage(visor.canvas.current, visor.study?.title ?? "")}
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

function LaudoSheet({ laudo, onClose }: Pick<ExamProps, "laudo"> & { onClose: () => void }) {
  return (
    <VisorSheet
      title={<Trans id="visor.laudo">Report</Trans>}
      detail={laudo?.detail}
      isBeside
      onClose={onClose}
      actions={laudo?.onDownload && <LaudoDownload onClick={laudo.onDownload} />}
    >
      {laudo ? (
        laudo.render()
      ) : (
        <p className="visor-no-laudo" role="status">
          <Trans id="visor.laudo.none">This exam has no report yet.</Trans>
        </p>
      )}
    </VisorSheet>
  );
}

function LaudoDownload({ onClick }: { onClick: () => void }) {
  const { t } = useLingui();
  return (
    <IconButton label={t({ id: "visor.laudo.download", message: "Download the report" })} onClick={onClick}>
      <DownloadIcon />
    </IconButton>
  );
}
