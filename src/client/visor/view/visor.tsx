import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "../../ui/button.tsx";
import { DownloadIcon } from "../../ui/icons.tsx";
import { PHONE, useMediaQuery } from "../../ui/use-media-query.ts";
import { warmCodec } from "../decode/start-worker.ts";
import { warmGraphics } from "../draw/renderer.ts";
import { FilmPort } from "./film-port.tsx";
import { InformationSheet } from "./information-sheet.tsx";
import { KeysSheet } from "./keys-sheet.tsx";
import { saveImage } from "./save-image.ts";
import { SeriesList } from "./series-list.tsx";
import { useVisor } from "./use-visor.ts";
import { useVisorKeys } from "./use-visor-keys.ts";
import { DesktopHead, FilmBar, PhoneFoot, PhoneHead } from "./visor-frames.tsx";
import { VisorMenu } from "./visor-menu.tsx";
import { Announcement, Corners, ScrollHint } from "./visor-notes.tsx";
import type { VisorProps } from "./visor-props.ts";
import { VisorSheet } from "./visor-sheet.tsx";
import { VisorTools } from "./visor-tools.tsx";

export { beginVisor } from "./visor-core.ts";
export type { VisorProps, VisorStudy } from "./visor-props.ts";

type Sheet = "menu" | "information" | "keys" | undefined;

/** Has the browser ready what the first image needs besides this code. */
export function warmVisor(): void {
  warmCodec();
  warmGraphics();
}

/** The viewer for stacks of images: dark in both themes, the whole screen. */
export default function Visor(props: VisorProps) {
  const { laudo, onBack } = props;
  const visor = useVisor(props);
  const isPhone = useMediaQuery(PHONE);
  const [sheet, setSheet] = useState<Sheet>();
  const [isLaudoOpen, setLaudoOpen] = useState(false);
  const [areCornersShown, setCornersShown] = useState(true);
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => root.current?.focus({ preventScroll: true }), []);

  useVisorKeys(visor, {
    toggleCorners: () => setCornersShown((now) => !now),
    toggleLaudo: () => laudo && setLaudoOpen((now) => !now),
    showKeys: () => setSheet("keys"),
    goFullScreen: () =>
      void (document.fullscreenElement ? document.exitFullscreen() : root.current?.requestFullscreen?.()),
    leave: onBack,
  });
  const close = () => setSheet(undefined);
  const frame = { ...props, visor, isLaudoOpen, setLaudoOpen, onMenu: () => setSheet("menu") };
  const port = (
    <FilmPort visor={visor} preview={props.preview} canvas={canvas} areSidesShown={areCornersShown}>
      {!isPhone && areCornersShown && <Corners visor={visor} />}
    </FilmPort>
  );
  const areBarsHidden = isPhone && visor.areBarsHidden && !isLaudoOpen;
  return (
    <div
      ref={root}
      tabIndex={-1}
      data-theme="dark"
      className={`visor ${isPhone ? "is-phone" : "is-desktop"} ${areBarsHidden ? "has-no-bars" : ""} ${isPhone && isLaudoOpen ? "has-laudo" : ""}`}
    >
      {isPhone ? <PhoneHead {...frame} /> : <DesktopHead {...frame} />}
      {props.localBar}
      {!isPhone && <SeriesList visor={visor} picture={props.seriesPicture} kind="column" />}
      <div className="visor-main">
        {!isPhone && <VisorTools visor={visor} onShowKeys={() => setSheet("keys")} />}
        {port}
        {isPhone && <ScrollHint visor={visor} />}
        {!isPhone && <FilmBar visor={visor} />}
      </div>
      {isPhone && <PhoneFoot {...frame} />}
      {laudo && isLaudoOpen && (
        <VisorSheet
          title={<Trans id="visor.laudo">Report</Trans>}
          detail={laudo.detail}
          isBeside
          onClose={() => setLaudoOpen(false)}
          actions={laudo.onDownload && <LaudoDownload onClick={laudo.onDownload} />}
        >
          {laudo.render()}
        </VisorSheet>
      )}
      {sheet === "menu" && (
        <VisorMenu
          {...props}
          visor={visor}
          onInformation={() => setSheet("information")}
          onSaveImage={() => void saveImage(canvas.current, visor.study?.title ?? "")}
          onClose={close}
        />
      )}
      {sheet === "information" && (
        <InformationSheet visor={visor} onClose={close}>
          {props.information}
        </InformationSheet>
      )}
      {sheet === "keys" && <KeysSheet onClose={close} />}
      <Announcement visor={visor} />
    </div>
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
