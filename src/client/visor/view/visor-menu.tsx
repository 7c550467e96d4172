import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode, RefObject } from "react";
import { closeInnerStep } from "../../ui/hooks/close-inner-step.ts";
import { DownloadIcon } from "../../ui/icons.tsx";
import type { Measure } from "../core/measures.ts";
import { hasOverlays } from "../core/overlays.ts";
import { leastWidth, windowGrain } from "../core/windows.ts";
import {
  AngleIcon,
  AnnotationsIcon,
  CompareIcon,
  ContrastIcon,
  FlipIcon,
  InfoIcon,
  OhifIcon,
  ProbeIcon,
  RegionIcon,
  RotateIcon,
  RulerIcon,
  SaveImageIcon,
  ShareIcon,
} from "./icons.ts";
import { movedFrom } from "./use-picture.ts";
import type { Visor } from "./use-visor.ts";
import type { VisorProps } from "./visor-props.ts";
import { VisorSheet } from "./visor-sheet.tsx";
import { fractionDigits } from "./visor-texts.ts";

interface VisorMenuProps
  extends Pick<VisorProps, "onDownload" | "downloadSize" | "onShare" | "onOpenOhif" | "menu"> {
  visor: Visor;
  onInformation: () => void;
  /** Absent where the person may not save what they see. */
  onSaveImage: (() => void) | undefined;
  /** Absent where there is no room or nothing to compare with. */
  onCompare: (() => void) | undefined;
  returnTo?: RefObject<Element | null>;
  onClose: () => void;
}

/** Everything that has no place of its own on a phone. */
export function VisorMenu({ visor, returnTo, onClose, ...does }: VisorMenuProps) {
  const { t } = useLingui();
  const { change, settings } = visor;
  const then = (run: () => void) => () => closeInnerStep(onClose, run);
  const tool = (name: Measure["kind"]) =>
    then(() => change({ tool: settings.tool === name ? "scroll" : name }));
  return (
    <VisorSheet title={<Trans id="visor.menu">Options</Trans>} returnTo={returnTo} onClose={onClose}>
      <WindowSliders visor={visor} />
      <div className="visor-menu-tools">
        <MenuTool icon={<RulerIcon />} isOn={settings.tool === "length"} onClick={tool("length")}>
          <Trans id="visor.tool.length">Measure</Trans>
        </MenuTool>
        <MenuTool icon={<AngleIcon />} isOn={settings.tool === "angle"} onClick={tool("angle")}>
          <Trans id="visor.tool.angle">Angle</Trans>
        </MenuTool>
        <MenuTool icon={<ProbeIcon />} isOn={settings.tool === "probe"} onClick={tool("probe")}>
          <Trans id="visor.tool.probe">Value</Trans>
        </MenuTool>
        <MenuTool icon={<RegionIcon />} isOn={settings.tool === "region"} onClick={tool("region")}>
          <Trans id="visor.tool.region">Region</Trans>
        </MenuTool>
        <MenuTool
          icon={<ContrastIcon />}
          isOn={settings.isInverted}
          onClick={() => change({ isInverted: !settings.isInverted })}
        >
          <Trans id="visor.tool.invert">Invert</Trans>
        </MenuTool>
        <MenuTool icon={<RotateIcon />} onClick={visor.rotate}>
          <Trans id="visor.tool.rotate">Rotate</Trans>
        </MenuTool>
        <MenuTool icon={<FlipIcon />} isOn={settings.turn.isFlipped} onClick={visor.flip}>
          <Trans id="visor.tool.flip">Flip</Trans>
        </MenuTool>
        {visor.slice && hasOverlays(visor.slice.metadata) && (
          <MenuTool
            icon={<AnnotationsIcon />}
            isOn={!settings.areOverlaysHidden}
            onClick={() => change({ areOverlaysHidden: !settings.areOverlaysHidden })}
          >
            <Trans id="visor.tool.overlays">Annotations</Trans>
          </MenuTool>
        )}
      </div>
      <hr />
      <MenuLine icon={<InfoIcon />} onClick={does.onInformation}>
        <Trans id="visor.information">Information</Trans>
      </MenuLine>
      {does.onSaveImage && (
        <MenuLine icon={<SaveImageIcon />} onClick={then(does.onSaveImage)}>
          <Trans id="visor.saveImage">Save this image</Trans>
        </MenuLine>
      )}
      {does.onCompare && (
        <MenuLine
          icon={<CompareIcon />}
          onClick={then(does.onCompare)}
          detail={t({ id: "visor.compare.text", message: "Two exams at once, scrolled together" })}
        >
          <Trans id="visor.compare.earlier">Compare with an earlier exam</Trans>
        </MenuLine>
      )}
      {does.onDownload && (
        <MenuLine icon={<DownloadIcon />} onClick={then(does.onDownload)} value={does.downloadSize}>
          <Trans id="visor.download">Download</Trans>
        </MenuLine>
      )}
      {does.onShare && (
        <MenuLine icon={<ShareIcon />} onClick={then(does.onShare)}>
          <Trans id="visor.share">Share</Trans>
        </MenuLine>
      )}
      {does.onOpenOhif && (
        <MenuLine
          icon={<OhifIcon />}
          onClick={then(does.onOpenOhif)}
          detail={t({ id: "visor.ohif.text", message: "Measurements, planes and 3D. Uses more data." })}
        >
          <Trans id="visor.ohif">Open in OHIF</Trans>
        </MenuLine>
      )}
      {does.menu}
    </VisorSheet>
  );
}

/** Values that reach less far are set in steps of their own, others in whole numbers. */
const WHOLE_RANGE = 50;

function WindowSliders({ visor: { limits, shown, settings, change, reset } }: { visor: Visor }) {
  const { i18n, t } = useLingui();
  const window = settings.window ?? (shown && movedFrom(shown));
  if (!limits || !window) return null;
  const { lowest, highest } = limits;
  const isWhole = highest - lowest >= WHOLE_RANGE;
  const step = isWhole ? 1 : windowGrain(limits);
  const narrowest = isWhole ? 1 : leastWidth(window, limits);
  const slider = (name: "center" | "width", label: string, from: number, to: number) => (
    <label className="visor-window-slider">
      <span>{label}</span>
      <input
        type="range"
        className="visor-range"
        style={{ "--share": (window[name] - from) / (to - from || 1) }}
        min={isWhole ? Math.floor(from) : from}
        max={isWhole ? Math.ceil(to) : to}
        step={step}
        value={window[name]}
        onChange={(event) => change({ window: { ...window, [name]: Number(event.currentTarget.value) } })}
      />
      <span className="visor-value">
        {i18n.number(window[name], {
          maximumFractionDigits: isWhole ? 0 : fractionDigits(step),
          useGrouping: false,
        })}
      </span>
    </label>
  );
  return (
    <div className="visor-windows">
      <div className="visor-windows-head">
        <b>
          <Trans id="visor.windows">Window</Trans>
        </b>
        <button type="button" className="visor-reset" onClick={reset}>
          <Trans id="visor.reset">Reset</Trans>
        </button>
      </div>
      {slider("center", t({ id: "visor.center", message: "Center" }), lowest, highest)}
      {slider(
        "width",
        t({ id: "visor.width", message: "Width" }),
        narrowest,
        Math.max(narrowest, highest - lowest),
      )}
    </div>
  );
}

interface MenuItemProps {
  icon: ReactNode;
  onClick: () => void;
  children: ReactNode;
}

/** @param isOn absent: it does something at once, and is not on or off afterwards */
function MenuTool({ icon, isOn, onClick, children }: MenuItemProps & { isOn?: boolean }) {
  return (
    <button type="button" className="visor-menu-tool" aria-pressed={isOn} onClick={onClick}>
      {icon}
      <span>{children}</span>
    </button>
  );
}

interface MenuLineProps extends MenuItemProps {
  detail?: string;
  value?: string | undefined;
}

function MenuLine({ icon, detail, value, onClick, children }: MenuLineProps) {
  return (
    <button type="button" className="visor-menu-line" onClick={onClick}>
      {icon}
      <span>
        {children}
        {detail && <small>{detail}</small>}
      </span>
      {value && <span className="visor-menu-value">{value}</span>}
    </button>
  );
}
