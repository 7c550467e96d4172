import type { DecodedFrame } from "../decoded-frame.ts";
import { NoPicture } from "../no-picture.ts";
import { EntropyReader } from "./entropy-reader.ts";
import type { HuffmanTable } from "./huffman-table.ts";
import type { JpegScan, JpegSegments } from "./jpeg-segments.ts";

/** Lossless JPEG with Huffman codes, without subsampling (ITU-T T.81 annex H). @throws {NoPicture} */
export function decodeLosslessJpeg(bytes: Uint8Array, { frame, scans }: JpegSegments): DecodedFrame {
  const { rows, columns, components } = frame;
  const samples = new Uint16Array(rows * columns * components.length);
  const picture = { rows, columns, samplesPerPixel: components.length, samples };
  if (components.some(({ horizontal, vertical }) => horizontal !== 1 || vertical !== 1)) {
    throw new NoPicture("unsupported", "lossless JPEG with subsampling");
  }
  for (const scan of scans) decodeScan(new EntropyReader(bytes, scan.offset), scan, frame.precision, picture);
  return picture;
}

type Picture = DecodedFrame & { samples: Uint16Array };

function decodeScan(reader: EntropyReader, scan: JpegScan, precision: number, picture: Picture): void {
  const { restartInterval, spectralStart, pointTransform } = scan;
  const { rows, columns, samplesPerPixel, samples } = picture;
  const initial = 1 << (precision - pointTransform - 1);
  const rowsBetween = restartInterval > 0 ? Math.max(1, Math.floor(restartInterval / columns)) : rows;
  const tables = scan.components.map(({ dc }) => {
    if (!dc) throw new NoPicture("undecodable", "a scan without its Huffman table");
    return dc;
  });
  const stride = columns * samplesPerPixel;
  for (let row = 0; row < rows; row++) {
    const isFirst = row % rowsBetween === 0;
    if (isFirst && row > 0) reader.restart();
    for (let column = 0; column < columns; column++) {
      for (const [i, { place }] of scan.components.entries()) {
        const at = row * stride + column * samplesPerPixel + place;
        const left = column > 0 ? (samples[at - samplesPerPixel] ?? 0) : -1;
        const above = isFirst ? -1 : (samples[at - stride] ?? 0);
        const corner = left >= 0 && above >= 0 ? (samples[at - stride - samplesPerPixel] ?? 0) : 0;
        const predicted = predict(spectralStart, left, above, corner, initial);
        samples[at] = predicted + difference(reader, tables[i] as HuffmanTable);
      }
    }
  }
  if (pointTransform > 0) {
    for (const { place } of scan.components) {
      for (let at = place; at < samples.length; at += samplesPerPixel) {
        samples[at] = (samples[at] ?? 0) << pointTransform;
      }
    }
  }
}

/** Predicts a sample (ITU-T T.81 table H.1); -1 stands for a missing neighbour. */
function predict(predictor: number, left: number, above: number, corner: number, initial: number): number {
  if (above < 0) return left < 0 ? initial : left;
  if (left < 0) return above;
  switch (predictor) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return corner;
    case 4:
      return left + above - corner;
    case 5:
      return left + ((above - corner) >> 1);
    case 6:
      return above + ((left - corner) >> 1);
    case 7:
      return (left + above) >> 1;
    default:
      return 0;
  }
}

/** Category 16 stands for 32,768 alone (§H.1.2.2). */
function difference(reader: EntropyReader, table: HuffmanTable): number {
  const category = reader.decode(table);
  return category >= 16 ? 32_768 : reader.receive(category);
}
