import { useLingui } from "@lingui/react/macro";
import { toScreen } from "../draw/placement.ts";
import { measureLines } from "./measure-texts.ts";
import { QuietStatus } from "./quiet-status.tsx";
import type { Visor } from "./use-visor.ts";

/** From its middle, in CSS pixels: what it is about stays visible. */
const GAP_PX = 5;
const ARM_PX = 16;
const ARMS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const;
const LINES = ARMS.map(([x, y]) => `M${x * GAP_PX} ${y * GAP_PX}L${x * ARM_PX} ${y * ARM_PX}`).join("");

/** The place that keys have chosen: white with a black edge, so that it is seen on any image. */
export function Crosshair({ visor }: { visor: Visor }) {
  const { crosshair, placement, shown } = visor;
  const { at } = crosshair;
  const seen = at && placement && shown ? toScreen(placement, at) : undefined;
  return (
    <>
      {seen && (
        <svg className="visor-measures" data-crosshair aria-hidden="true" fill="none">
          <g transform={`translate(${seen.x} ${seen.y})`}>
            <path d={LINES} stroke="#000" strokeWidth={5} />
            <path d={LINES} stroke="#fff" strokeWidth={2} />
          </g>
        </svg>
      )}
      <CrosshairWords visor={visor} />
    </>
  );
}

/** Tells a screen reader the pixel and what is measured up to it. */
function CrosshairWords({ visor: { crosshair, shown, isCoarse } }: { visor: Visor }) {
  const { i18n, t } = useLingui();
  const { at, seen } = crosshair;
  if (!at || !shown) return <QuietStatus text="" />;
  const column = Math.ceil(at.x);
  const row = Math.ceil(at.y);
  const place = t({ id: "visor.crosshair", message: `Column ${column}, row ${row}` });
  const growing = seen.findLast(({ sliceKey }) => sliceKey === shown.slice.key);
  const lines = growing ? measureLines(growing, { shown, isCoarse }, i18n) : [];
  return <QuietStatus text={[place, ...lines].join(". ")} />;
}
