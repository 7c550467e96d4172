import type { DecodedFrame } from "../decoded-frame.ts";
import { NoPicture } from "../no-picture.ts";
import { BLOCK, drawBlock, ZIGZAG } from "./draw-block.ts";
import { EntropyReader } from "./entropy-reader.ts";
import type { HuffmanTable } from "./huffman-table.ts";
import type { JpegScan, JpegSegments } from "./jpeg-segments.ts";

/** Progressive JPEG of one component (ITU-T T.81 annex G): 12 bits in DICOM's retired syntaxes 53 and 55. */
export function decodeProgressiveJpeg(bytes: Uint8Array, segments: JpegSegments): DecodedFrame {
  const { frame, scans, quantization } = segments;
  const { rows, columns, precision } = frame;
  const [component, another] = frame.components;
  if (!component || another) throw new NoPicture("unsupported", "progressive JPEG in colour");
  const across = Math.ceil(columns / BLOCK);
  const count = across * Math.ceil(rows / BLOCK);
  const coefficients = new Int16Array(count * 64);
  for (const scan of scans) decodeScan(new EntropyReader(bytes, scan.offset), scan, coefficients, count);
  const quantizer = quantization.get(component.quantization) ?? new Uint16Array(64).fill(1);
  const samples = new Uint16Array(rows * columns);
  const block = new Float32Array(64);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 64; k++)
      block[ZIGZAG[k] ?? 0] = (coefficients[i * 64 + k] ?? 0) * (quantizer[k] ?? 1);
    const place = { row: Math.floor(i / across) * BLOCK, column: (i % across) * BLOCK };
    drawBlock(block, { samples, rows, columns, precision }, place);
  }
  return { rows, columns, samplesPerPixel: 1, samples };
}

function decodeScan(reader: EntropyReader, scan: JpegScan, coefficients: Int16Array, count: number): void {
  const { restartInterval, spectralStart } = scan;
  const decodeBlock = spectralStart === 0 ? dcDecoder(reader, scan) : acDecoder(reader, scan);
  for (let i = 0; i < count; i++) {
    if (restartInterval > 0 && i > 0 && i % restartInterval === 0) {
      reader.restart();
      decodeBlock.restart();
    }
    decodeBlock.decode(coefficients.subarray(i * 64, i * 64 + 64));
  }
}

interface BlockDecoder {
  decode(block: Int16Array): void;
  restart(): void;
}

/** §G.1.2.1 */
function dcDecoder(
  reader: EntropyReader,
  { components, pointTransform, refinedFrom }: JpegScan,
): BlockDecoder {
  const dc = components[0]?.dc;
  let level = 0;
  return {
    restart() {
      level = 0;
    },
    decode(block) {
      if (refinedFrom > 0) {
        block[0] = (block[0] ?? 0) | (reader.bit() << pointTransform);
        return;
      }
      level += reader.receive(Math.min(16, reader.decode(needed(dc))));
      block[0] = level << pointTransform;
    },
  };
}

/** §G.1.2.2, §G.1.2.3 */
function acDecoder(reader: EntropyReader, scan: JpegScan): BlockDecoder {
  const { components, spectralStart, pointTransform, refinedFrom } = scan;
  const spectralEnd = Math.min(63, scan.spectralEnd);
  const ac = needed(components[0]?.ac);
  const bit = 1 << pointTransform;
  /** Blocks that have no more coefficients in this band, the present one included. */
  let emptyBlocks = 0;
  const startRun = (run: number) => {
    emptyBlocks = (1 << run) + reader.bits(run);
  };
  const refine = (value: number) => {
    if (reader.bit() === 0 || (value & bit) !== 0) return value;
    return value > 0 ? value + bit : value - bit;
  };

  function first(block: Int16Array): void {
    for (let k = spectralStart; k <= spectralEnd; k++) {
      const code = reader.decode(ac);
      const [run, size] = [code >> 4, code & 15];
      if (size === 0 && run < 15) {
        startRun(run);
        emptyBlocks--;
        return;
      }
      k += run;
      if (size > 0 && k <= 63) block[k] = reader.receive(size) * bit;
    }
  }

  function refined(block: Int16Array): void {
    let k = spectralStart;
    while (k <= spectralEnd && emptyBlocks === 0) {
      const code = reader.decode(ac);
      const [run, size] = [code >> 4, code & 15];
      let added = 0;
      if (size > 0) added = reader.bit() === 1 ? bit : -bit;
      else if (run < 15) startRun(run);
      if (emptyBlocks > 0) break;
      for (let zeros = run; k <= spectralEnd; k++) {
        const value = block[k] ?? 0;
        if (value !== 0) block[k] = refine(value);
        else if (zeros-- === 0) {
          block[k++] = added;
          break;
        }
      }
    }
    if (emptyBlocks === 0) return;
    for (; k <= spectralEnd; k++) {
      const value = block[k] ?? 0;
      if (value !== 0) block[k] = refine(value);
    }
    emptyBlocks--;
  }

  return {
    restart() {
      emptyBlocks = 0;
    },
    decode(block) {
      if (refinedFrom > 0) refined(block);
      else if (emptyBlocks > 0) emptyBlocks--;
      else first(block);
    },
  };
}

function needed(table: HuffmanTable | undefined): HuffmanTable {
  if (!table) throw new NoPicture("undecodable", "a scan without its Huffman table");
  return table;
}
