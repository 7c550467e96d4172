import type { PreparedFrame } from "../../../shared/pixels/prepare-frame.ts";

/** The frame with every n-th pixel only, so that no side is longer than `maxSide`; the same frame if it fits. */
export function reduceFrame(frame: PreparedFrame, maxSide: number): PreparedFrame {
  const step = Math.ceil(Math.max(frame.rows, frame.columns) / maxSide);
  if (step <= 1) return frame;
  const [rows, columns] = [Math.ceil(frame.rows / step), Math.ceil(frame.columns / step)];
  if (frame.kind === "grey") {
    const { indexes } = frame;
    const kept =
      indexes instanceof Uint8Array ? new Uint8Array(rows * columns) : new Uint16Array(rows * columns);
    for (let at = 0; at < kept.length; at++) kept[at] = indexes[placeOf(at)] ?? 0;
    return { ...frame, rows, columns, indexes: kept };
  }
  const bytes = new Uint8Array(rows * columns * 3);
  for (let at = 0; at < rows * columns; at++) {
    const from = placeOf(at) * 3;
    bytes.set(frame.bytes.subarray(from, from + 3), at * 3);
  }
  return { ...frame, rows, columns, bytes };

  function placeOf(at: number): number {
    return Math.floor(at / columns) * step * frame.columns + (at % columns) * step;
  }
}
