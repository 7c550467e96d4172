import { useLingui } from "@lingui/react/macro";
import { type CSSProperties, type KeyboardEvent, useState } from "react";
import { localStore } from "../../runtime/browser-storage.ts";
import { useEdgeDrag } from "../../ui/hooks/use-edge-drag.ts";

/** A panel beside the film. The person sets its width (in CSS pixels). */
interface Side {
  /** Where the width is kept, and its custom property. */
  key: "visorColumn" | "visorLaudo";
  property: string;
  least: number;
  most: number;
  usual: number;
  /** 1 if the side grows with its grip to the right. */
  grows: 1 | -1;
}

const COLUMN: Side = {
  key: "visorColumn",
  property: "--visor-column",
  least: 120,
  most: 320,
  usual: 176,
  grows: 1,
};
const LAUDO: Side = {
  key: "visorLaudo",
  property: "--visor-laudo",
  least: 320,
  most: 560,
  usual: 400,
  grows: -1,
};
const STEP_PX = 16;

/** The width of a side, and what sets it; undefined sets the usual one. It is kept unless the side is still being dragged. */
type SideWidth = readonly [px: number, resize: (px?: number, isOver?: boolean) => void];

export interface SideWidths {
  /** The widths as custom properties, for the element around the sides. */
  style: CSSProperties;
  column: SideWidth;
  laudo: SideWidth;
}

/** The widths of the sides, as they are kept on this device. */
export function useSideWidths(): SideWidths {
  const column = useSideWidth(COLUMN);
  const laudo = useSideWidth(LAUDO);
  const style = { [COLUMN.property]: `${column[0]}px`, [LAUDO.property]: `${laudo[0]}px` };
  return { style, column, laudo };
}

function useSideWidth(side: Side): SideWidth {
  const [width, setWidth] = useState(() =>
    widthWithin(side, Number(localStore.read(side.key) ?? side.usual)),
  );
  const resize = (px = side.usual, isOver = true) => {
    const next = widthWithin(side, px);
    setWidth(next);
    if (isOver) localStore.write(side.key, next === side.usual ? undefined : String(next));
  };
  return [width, resize];
}

interface SideGripsProps {
  widths: SideWidths;
  hasLaudo: boolean;
}

/** The edges of the series column and of the laudo, which can be moved. */
export function SideGrips({ widths, hasLaudo }: SideGripsProps) {
  const { t } = useLingui();
  return (
    <>
      <Grip
        side={COLUMN}
        width={widths.column}
        className="visor-grip is-column"
        label={t({ id: "visor.grip.column", message: "Width of the column" })}
      />
      {hasLaudo && (
        <Grip
          side={LAUDO}
          width={widths.laudo}
          className="visor-grip is-laudo"
          label={t({ id: "visor.grip.laudo", message: "Width of the report" })}
        />
      )}
    </>
  );
}

interface GripProps {
  side: Side;
  width: SideWidth;
  className: string;
  label: string;
}

/** Dragging or the arrow keys set the width, a double click takes the usual one. */
function Grip({ side, width: [width, resize], className, label }: GripProps) {
  const drag = useEdgeDrag({ widthOf: () => width, grows: side.grows, onDrag: resize });
  const step = (event: KeyboardEvent<HTMLElement>) => {
    const widths: Record<string, number> = {
      ArrowLeft: width - side.grows * STEP_PX,
      ArrowRight: width + side.grows * STEP_PX,
      Home: side.least,
      End: side.most,
    };
    const wanted = widths[event.key];
    if (wanted === undefined) return;
    // The arrows scroll the images elsewhere.
    event.preventDefault();
    event.stopPropagation();
    resize(wanted);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule that can be moved, which no element is
    <div
      className={className}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={side.least}
      aria-valuemax={side.most}
      {...drag}
      onDoubleClick={() => resize()}
      onKeyDown={step}
    />
  );
}

function widthWithin({ least, most, usual }: Side, px: number): number {
  return Number.isFinite(px) ? Math.round(Math.min(most, Math.max(least, px))) : usual;
}
