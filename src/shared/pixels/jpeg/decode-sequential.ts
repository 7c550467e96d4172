import type { DecodedFrame } from "../decoded-frame.ts";
import { NoPicture } from "../no-picture.ts";
import { BLOCK, drawBlock, ZIGZAG } from "./draw-block.ts";
import { EntropyReader } from "./entropy-reader.ts";
import type { JpegSegments } from "./jpeg-segments.ts";

/** Extended sequential JPEG of one component, of any precision (ITU-T T.81 §F.2): 12 bits in DICOM. */
export function decodeSequentialJpeg(bytes: Uint8Array, segments: JpegSegments): DecodedFrame {
  const { frame, scans, quantization } = segments;
  const { rows, columns, precision } = frame;
  const [component, another] = frame.components;
  const [scan] = scans;
  const dc = scan?.components[0]?.dc;
  const ac = scan?.components[0]?.ac;
  if (!component || another) throw new NoPicture("unsupported", "12-bit JPEG in colour");
  if (!scan || !dc || !ac) throw new NoPicture("undecodable", "a scan without its Huffman tables");
  const quantizer = quantization.get(component.quantization) ?? new Uint16Array(64).fill(1);
  const samples = new Uint16Array(rows * columns);
  const reader = new EntropyReader(bytes, scan.offset);
  const across = Math.ceil(columns / BLOCK);
  const blocks = across * Math.ceil(rows / BLOCK);
  const coefficients = new Float32Array(64);
  let level = 0;
  for (let block = 0; block < blocks; block++) {
    if (scan.restartInterval > 0 && block > 0 && block % scan.restartInterval === 0) {
      reader.restart();
      level = 0;
    }
    coefficients.fill(0);
    level += reader.receive(Math.min(16, reader.decode(dc)));
    coefficients[0] = level * (quantizer[0] ?? 1);
    for (let k = 1; k < 64; k++) {
      const code = reader.decode(ac);
      const size = code & 15;
      if (size === 0 && code >> 4 !== 15) break;
      k += code >> 4;
      if (size > 0 && k < 64) coefficients[ZIGZAG[k] ?? 0] = reader.receive(size) * (quantizer[k] ?? 1);
    }
    const place = { row: Math.floor(block / across) * BLOCK, column: (block % across) * BLOCK };
    drawBlock(coefficients, { samples, rows, columns, precision }, place);
  }
  return { rows, columns, samplesPerPixel: 1, samples };
}
