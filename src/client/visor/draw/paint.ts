import type { Picture } from "./picture.ts";

const OPAQUE = 0xff << 24;

/** A picture at its own size, as bytes of red, green, blue and opacity. */
export function paint({ frame, table, isInverted }: Picture): Uint8ClampedArray<ArrayBuffer> {
  const count = frame.rows * frame.columns;
  const bytes = new Uint8ClampedArray(count * 4);
  const words = new Uint32Array(bytes.buffer);
  if (frame.kind === "grey") {
    const shades = Uint32Array.from(table, (level) => OPAQUE | (level * 0x010101));
    for (let i = 0; i < count; i++) words[i] = shades[frame.indexes[i] ?? 0] ?? 0;
    return bytes;
  }
  const turn = isInverted ? 0xff : 0;
  for (let i = 0; i < count; i++) {
    for (let c = 0; c < 3; c++) bytes[i * 4 + c] = (frame.bytes[i * 3 + c] ?? 0) ^ turn;
    bytes[i * 4 + 3] = 255;
  }
  return bytes;
}
