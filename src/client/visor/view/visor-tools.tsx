import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { LayersIcon } from "../../ui/icons.tsx";
import {
  AngleIcon,
  ContrastIcon,
  FlipIcon,
  HelpIcon,
  MoveIcon,
  ProbeIcon,
  RegionIcon,
  ResetIcon,
  RotateIcon,
  RulerIcon,
} from "./icons.ts";
import { keptPart } from "./kept-part.ts";
import type { Visor } from "./use-visor.ts";
import type { Tool } from "./view-settings.ts";
import { WindowChips } from "./window-chips.tsx";

/** The row of windows and tools of a desktop. */
export const VisorTools = keptPart(["presets", "ownVois", "settings", "window"], AllTools);

function AllTools({ visor, onShowKeys }: { visor: Visor; onShowKeys: () => void }) {
  const { t } = useLingui();
  const { settings, change } = visor;
  const tools: [Tool, string, ReactNode][] = [
    ["scroll", t({ id: "visor.tool.scroll", message: "Scroll images (P)" }), <LayersIcon key="scroll" />],
    ["window", t({ id: "visor.tool.window", message: "Window (J)" }), <ContrastIcon key="window" />],
    ["pan", t({ id: "visor.tool.pan", message: "Move and zoom (M)" }), <MoveIcon key="pan" />],
    ["length", t({ id: "visor.tool.lengthKey", message: "Measure (R)" }), <RulerIcon key="length" />],
    ["angle", t({ id: "visor.tool.angleKey", message: "Angle (A)" }), <AngleIcon key="angle" />],
    ["probe", t({ id: "visor.tool.probeKey", message: "Value (V)" }), <ProbeIcon key="probe" />],
    ["region", t({ id: "visor.tool.regionKey", message: "Region (D)" }), <RegionIcon key="region" />],
  ];
  const button = (label: string, icon: ReactNode, onClick: () => void, isOn?: boolean) => (
    <button
      type="button"
      key={label}
      className="visor-tool"
      aria-label={label}
      title={label}
      aria-pressed={isOn}
      onClick={onClick}
    >
      {icon}
    </button>
  );
  return (
    <div className="visor-tools">
      <WindowChips visor={visor} hasKeys />
      <i aria-hidden="true" />
      {tools.map(([tool, label, icon]) =>
        button(label, icon, () => change({ tool }), settings.tool === tool),
      )}
      {button(t({ id: "visor.tool.rotateKey", message: "Rotate (G)" }), <RotateIcon />, visor.rotate)}
      {button(t({ id: "visor.tool.flipKey", message: "Flip (E)" }), <FlipIcon />, visor.flip)}
      {button(t({ id: "visor.tool.resetKey", message: "Reset (O)" }), <ResetIcon />, visor.reset)}
      <span className="visor-space" />
      {button(t({ id: "visor.keys", message: "Keyboard shortcuts" }), <HelpIcon />, onShowKeys)}
    </div>
  );
}
