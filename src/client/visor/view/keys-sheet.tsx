import { Trans } from "@lingui/react/macro";
import type { ReactNode, RefObject } from "react";
import { VisorSheet } from "./visor-sheet.tsx";

/** The keyboard, written down. */
export function KeysSheet(sheet: { returnTo: RefObject<Element | null>; onClose: () => void }) {
  const rows: [string, ReactNode][] = [
    [
      "↑ ↓",
      <Trans key="slice" id="visor.keys.slice">
        Previous and next image
      </Trans>,
    ],
    [
      "PgUp PgDn",
      <Trans key="ten" id="visor.keys.ten">
        Ten images
      </Trans>,
    ],
    [
      "Home End",
      <Trans key="ends" id="visor.keys.ends">
        First and last image
      </Trans>,
    ],
    [
      "← →",
      <Trans key="series" id="visor.keys.series">
        Previous and next series
      </Trans>,
    ],
    [
      "0–9",
      <Trans key="windows" id="visor.keys.windows">
        Windows
      </Trans>,
    ],
    [
      "P J M",
      <Trans key="drag" id="visor.keys.drag">
        Drag: images, window, move
      </Trans>,
    ],
    [
      "R A V D",
      <Trans key="measure" id="visor.keys.measure">
        Length, angle, value, region
      </Trans>,
    ],
    [
      "Enter ⌫",
      <Trans key="point" id="visor.keys.point">
        While measuring: show the crosshair, set a point, take it back
      </Trans>,
    ],
    [
      "↑ ↓ ← →",
      <Trans key="crosshair" id="visor.keys.crosshair">
        With the crosshair: move it (with Shift by one pixel)
      </Trans>,
    ],
    [
      "Del",
      <Trans key="remove" id="visor.keys.remove">
        Remove the last measurement
      </Trans>,
    ],
    [
      "N G E O",
      <Trans key="turn" id="visor.keys.turn">
        Invert, rotate, flip, reset
      </Trans>,
    ],
    [
      "+ −",
      <Trans key="zoom" id="visor.keys.zoom">
        Enlarge and reduce
      </Trans>,
    ],
    [
      "␣",
      <Trans key="cine" id="visor.keys.cine">
        Play and pause
      </Trans>,
    ],
    [
      "I L F",
      <Trans key="show" id="visor.keys.show">
        Corner texts, report, full screen
      </Trans>,
    ],
    [
      "C X",
      <Trans key="compare" id="visor.keys.compare">
        Compare, other side
      </Trans>,
    ],
    [
      "Esc",
      <Trans key="back" id="visor.keys.back">
        Back
      </Trans>,
    ],
  ];
  return (
    <VisorSheet title={<Trans id="visor.keys">Keyboard shortcuts</Trans>} {...sheet}>
      <dl className="visor-facts">
        {rows.map(([keys, text]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </VisorSheet>
  );
}
