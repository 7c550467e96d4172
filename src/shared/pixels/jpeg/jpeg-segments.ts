import { NoPicture } from "../no-picture.ts";
import { type HuffmanTable, huffmanTable } from "./huffman-table.ts";

/** Start of frame (ITU-T T.81 §B.2.2). */
export interface JpegFrame {
  /** 0 baseline, 1 extended sequential, 2 progressive, 3 lossless. */
  process: number;
  precision: number;
  rows: number;
  columns: number;
  components: { id: number; horizontal: number; vertical: number; quantization: number }[];
}

/** Start of scan (§B.2.3) with the tables in force. */
export interface JpegScan {
  /** Places in the frame's components, with the tables of each. */
  components: { place: number; dc: HuffmanTable | undefined; ac: HuffmanTable | undefined }[];
  /** The predictor of a lossless scan; the first coefficient of a progressive one. */
  spectralStart: number;
  /** The last coefficient of a progressive scan. */
  spectralEnd: number;
  /** Ah: the point transform of the scan that this one refines; 0 if it is the first. */
  refinedFrom: number;
  /** Al: the point transform of a lossless or progressive scan. */
  pointTransform: number;
  /** MCUs between two restart markers; 0: none. */
  restartInterval: number;
  /** First byte of the entropy-coded data. */
  offset: number;
}

export interface JpegSegments {
  frame: JpegFrame;
  scans: JpegScan[];
  /** By number, in zigzag order. */
  quantization: Map<number, Uint16Array>;
  hasAdobeMarker: boolean;
}

const MAX_SEGMENTS = 4096;
/** A progressive stream may need a scan for each bit of a few bands. */
const MAX_SCANS = 128;

/** Reads the marker segments of a JPEG stream. @throws {NoPicture} */
export function readJpegSegments(bytes: Uint8Array): JpegSegments {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const huffman = new Map<number, HuffmanTable>();
  const scans: JpegScan[] = [];
  const quantization = new Map<number, Uint16Array>();
  let frame: JpegFrame | undefined;
  let restartInterval = 0;
  let hasAdobeMarker = false;
  let at = 2;
  for (let read = 0; read < MAX_SEGMENTS && scans.length < MAX_SCANS; read++) {
    at = nextMarker(bytes, at);
    const marker = bytes[at + 1] ?? 0xd9;
    if (marker === 0xd9 || at + 4 > bytes.length) break;
    const body = at + 4;
    at += 2 + view.getUint16(at + 2);
    if (at > bytes.length) break;
    const segment = bytes.subarray(body, at);
    if (marker === 0xc4) readHuffman(segment, huffman);
    else if (marker === 0xdb) readQuantization(segment, quantization);
    else if (marker === 0xdd) restartInterval = view.getUint16(body);
    else if (marker === 0xee) hasAdobeMarker ||= isAdobe(segment);
    else if (marker === 0xda && frame) scans.push(readScan(segment, frame, huffman, restartInterval, at));
    else if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8 && marker !== 0xcc) {
      // Decoders take the first one; what is checked must be what they take.
      if (frame) throw new NoPicture("undecodable", "a JPEG stream with two frame headers");
      frame = readFrame(segment, marker - 0xc0);
    }
  }
  if (!frame) throw new NoPicture("undecodable", "a JPEG stream without a frame header");
  return { frame, scans, quantization, hasAdobeMarker };
}

function isAdobe(segment: Uint8Array): boolean {
  return Array.from("Adobe").every((letter, i) => segment[i] === letter.charCodeAt(0));
}

/** Returns the offset of the next marker: a 0xFF that is not stuffed, a fill byte or a restart marker. */
function nextMarker(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; at + 1 < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue;
    const marker = bytes[at + 1] ?? 0;
    if (marker !== 0 && marker !== 0xff && !(marker >= 0xd0 && marker <= 0xd7)) break;
  }
  return at;
}

function readFrame(segment: Uint8Array, process: number): JpegFrame {
  const [precision = 0, rowsHigh = 0, rowsLow = 0, columnsHigh = 0, columnsLow = 0, count = 0] = segment;
  const components = Array.from({ length: Math.min(count, 4) }, (_, i) => {
    const [id = 0, sampling = 0x11, quantization = 0] = segment.subarray(6 + i * 3, 9 + i * 3);
    return { id, horizontal: sampling >> 4, vertical: sampling & 15, quantization };
  });
  return {
    process,
    precision,
    rows: (rowsHigh << 8) | rowsLow,
    columns: (columnsHigh << 8) | columnsLow,
    components,
  };
}

function readScan(
  segment: Uint8Array,
  frame: JpegFrame,
  huffman: ReadonlyMap<number, HuffmanTable>,
  restartInterval: number,
  offset: number,
): JpegScan {
  const count = Math.min(segment[0] ?? 0, 4);
  const components = Array.from({ length: count }, (_, i) => {
    const [id = 0, tables = 0] = segment.subarray(1 + i * 2, 3 + i * 2);
    const place = frame.components.findIndex((component) => component.id === id);
    if (place < 0) throw new NoPicture("undecodable", "a scan of a component that is not there");
    return { place, dc: huffman.get(tables >> 4), ac: huffman.get(0x10 | (tables & 15)) };
  });
  const [spectralStart = 0, spectralEnd = 0, approximation = 0] = segment.subarray(1 + count * 2);
  const [refinedFrom, pointTransform] = [approximation >> 4, approximation & 15];
  return { components, spectralStart, spectralEnd, refinedFrom, pointTransform, restartInterval, offset };
}

/** Reads Huffman tables, keyed by class and number as in the segment: AC tables from 16 on. */
function readHuffman(segment: Uint8Array, tables: Map<number, HuffmanTable>): void {
  for (let at = 0; at + 17 <= segment.length; ) {
    const lengths = segment.subarray(at + 1, at + 17);
    const count = lengths.reduce((sum, n) => sum + n, 0);
    tables.set(segment[at] ?? 0, huffmanTable(lengths, segment.subarray(at + 17, at + 17 + count)));
    at += 17 + count;
  }
}

function readQuantization(segment: Uint8Array, tables: Map<number, Uint16Array>): void {
  for (let at = 0; at < segment.length; ) {
    const head = segment[at] ?? 0;
    const width = head >> 4 ? 2 : 1;
    const table = new Uint16Array(64);
    for (let i = 0; i < 64; i++) {
      const place = at + 1 + i * width;
      table[i] =
        width === 1 ? (segment[place] ?? 1) : ((segment[place] ?? 0) << 8) | (segment[place + 1] ?? 1);
    }
    tables.set(head & 15, table);
    at += 1 + 64 * width;
  }
}
