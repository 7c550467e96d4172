import { componentCount, imageSize } from "./code-stream.ts";
import { NoPicture } from "./no-picture.ts";
import { assertDrawable } from "./pixel-bounds.ts";

/** A decoder keeps some 5 kB for each tile; a scanned slide has hundreds. */
const MAX_TILES = 4_096;
/** Boxes or marker segments before the one that is looked for. */
const MAX_SEGMENTS = 256;

const SOC_AND_SIZ = 0xff4fff51;
/** The first box of a JP2 file, and the box that holds its code stream (ITU-T T.800 §I.5). */
const JP2_SIGNATURE = 0x6a502020;
const CODE_STREAM = 0x6a703263;

/**
 * The code stream of a JPEG 2000 frame, without the JP2 file that some writers put around it. Its size is checked as its SIZ marker
 * segment says it (ITU-T T.800 §A.5.1), before a decoder takes memory for it.
 * @throws {NoPicture}
 */
export function codeStreamOf(bytes: Uint8Array): Uint8Array {
  const stream = withoutFile(bytes);
  const view = viewOf(stream);
  if (stream.length < 42 || view.getUint32(0) !== SOC_AND_SIZ)
    throw new NoPicture("undecodable", "no JPEG 2000 code stream");
  const u32 = (at: number) => view.getUint32(at);
  const [right, bottom, tileWidth, tileHeight, tileLeft, tileTop] = [8, 12, 24, 28, 32, 36].map(u32);
  assertDrawable({ ...imageSize(stream), samplesPerPixel: componentCount(stream) });
  const tiles = tilesAcross(right, tileLeft, tileWidth) * tilesAcross(bottom, tileTop, tileHeight);
  if (!(tiles <= MAX_TILES)) throw new NoPicture("unsupported", "too many tiles");
  return stream;
}

function tilesAcross(end = 0, start = 0, size = 0): number {
  return Math.ceil((end - start) / size);
}

/** The content of the first code stream box of a JP2 file; other bytes as they are. */
function withoutFile(bytes: Uint8Array): Uint8Array {
  const view = viewOf(bytes);
  if (bytes.length < 12 || view.getUint32(4) !== JP2_SIGNATURE) return bytes;
  let at = 0;
  for (let read = 0; read < MAX_SEGMENTS && at + 8 <= bytes.length; read++) {
    const length = view.getUint32(at);
    // 0: the last box, to the end of the file.
    const end = length === 0 ? bytes.length : at + length;
    if (view.getUint32(at + 4) === CODE_STREAM) return bytes.subarray(at + 8, end);
    // 1: the length has 64 bits, which only a code stream of gigabytes needs.
    if (length < 8) break;
    at = end;
  }
  throw new NoPicture("undecodable", "a JP2 file without a code stream");
}

/**
 * Checks the size of a JPEG-LS stream as its frame header says it (ITU-T T.87 §C.2.2), before a decoder takes memory for it.
 * @throws {NoPicture}
 */
export function assertJpegLsDrawable(bytes: Uint8Array): void {
  const view = viewOf(bytes);
  let at = 2;
  let hasFrame = false;
  for (let read = 0; read < MAX_SEGMENTS; read++) {
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at++;
    if (bytes[at] !== 0xff || at + 10 > bytes.length) break;
    const [marker, body] = [bytes[at + 1], at + 4];
    if (marker === 0xda) {
      if (hasFrame) return;
      break;
    }
    if (marker === 0xf7) {
      const [rows, columns] = [view.getUint16(body + 1), view.getUint16(body + 3)];
      assertDrawable({ rows, columns, samplesPerPixel: bytes[body + 5] ?? 0 });
      hasFrame = true;
    }
    // An LSE segment of this kind gives a size of more than 16 bits.
    if (marker === 0xf8 && bytes[body] === 4) throw new NoPicture("unsupported", "too many pixels");
    at += 2 + view.getUint16(at + 2);
  }
  throw new NoPicture("undecodable", "a JPEG-LS stream without a frame header");
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
