import type { DataSet } from "dicom-parser";
import { PIXEL_DATA, parseHead, parserTag } from "../read-dicom/parse-head.ts";

/** Width and height of a small picture in pixels. */
export const FILM_SIDE = 64;

/** Implicit, explicit and deflated little endian: the transfer syntaxes that need no decoder. */
const UNCOMPRESSED = ["1.2.840.10008.1.2", "1.2.840.10008.1.2.1", "1.2.840.10008.1.2.1.99"];
const MAX_SIDE = 16_384;
/** Each drawn pixel averages this many samples along each side. */
const SAMPLES = 2;

interface Frame {
  rows: number;
  columns: number;
  /** The value at an offset, after the modality's rescale. */
  at(row: number, column: number): number;
}

/**
 * A small picture of an instance's first frame: greys row by row, with black around the frame. Undefined if the frame is
 * compressed, in colour or cut short.
 */
export function drawFilm(bytes: Uint8Array): Uint8Array | undefined {
  const dataSet = parseHead(bytes);
  const frame = dataSet && readFrame(dataSet);
  if (!dataSet || !frame) return undefined;
  const values = sampleFrame(frame);
  const { low, high } = windowOf(dataSet) ?? rangeOf(values);
  const isInverted = dataSet.string(parserTag("PhotometricInterpretation")) === "MONOCHROME1";
  return Uint8Array.from(values, (value) => {
    if (Number.isNaN(value)) return 0;
    const grey = high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0;
    return Math.round(255 * (isInverted ? 1 - grey : grey));
  });
}

function readFrame(dataSet: DataSet): Frame | undefined {
  const [rows = 0, columns = 0] = [dataSet.uint16(parserTag("Rows")), dataSet.uint16(parserTag("Columns"))];
  const bits = dataSet.uint16(parserTag("BitsAllocated")) ?? 0;
  const pixels = dataSet.elements[PIXEL_DATA];
  const isDrawable =
    UNCOMPRESSED.includes(dataSet.string(parserTag("TransferSyntaxUID")) ?? UNCOMPRESSED[0] ?? "") &&
    /^MONOCHROME[12]$/.test(dataSet.string(parserTag("PhotometricInterpretation")) ?? "") &&
    (dataSet.uint16(parserTag("SamplesPerPixel")) ?? 1) === 1 &&
    (bits === 8 || bits === 16) &&
    Math.min(rows, columns) > 0 &&
    Math.max(rows, columns) <= MAX_SIDE;
  if (!pixels || !isDrawable) return undefined;
  const lengthBytes = (rows * columns * bits) / 8;
  if (pixels.dataOffset + lengthBytes > dataSet.byteArray.length) return undefined;
  const { buffer, byteOffset } = dataSet.byteArray as Uint8Array;
  const view = new DataView(buffer, byteOffset + pixels.dataOffset, lengthBytes);
  const stored = storedValue(dataSet, bits);
  const slope = dataSet.floatString(parserTag("RescaleSlope")) ?? 1;
  const intercept = dataSet.floatString(parserTag("RescaleIntercept")) ?? 0;
  const at = (row: number, column: number) => {
    const place = row * columns + column;
    return stored(bits === 8 ? view.getUint8(place) : view.getUint16(2 * place, true)) * slope + intercept;
  };
  return { rows, columns, at };
}

/** Drops the bits above the stored ones and extends the sign (PS3.5 §8.1.1). */
function storedValue(dataSet: DataSet, bits: number): (raw: number) => number {
  const storedBits = Math.min(bits, Math.max(1, dataSet.uint16(parserTag("BitsStored")) ?? bits));
  const most = 2 ** storedBits;
  const isSigned = dataSet.uint16(parserTag("PixelRepresentation")) === 1;
  return (raw) => {
    const value = raw % most;
    return isSigned && value >= most / 2 ? value - most : value;
  };
}

/** The values of the small picture. The frame keeps its aspect ratio; pixels outside it are NaN. */
function sampleFrame({ rows, columns, at }: Frame): Float32Array {
  const step = Math.max(rows, columns) / FILM_SIDE;
  const [top, left] = [(FILM_SIDE - rows / step) / 2, (FILM_SIDE - columns / step) / 2];
  const values = new Float32Array(FILM_SIDE * FILM_SIDE);
  for (let y = 0; y < FILM_SIDE; y++) {
    for (let x = 0; x < FILM_SIDE; x++) {
      let sum = 0;
      for (let sample = 0; sample < SAMPLES ** 2; sample++) {
        const row = Math.floor((y - top + ((sample % SAMPLES) + 0.5) / SAMPLES) * step);
        const column = Math.floor((x - left + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) * step);
        const isInside = row >= 0 && row < rows && column >= 0 && column < columns;
        sum += isInside ? at(row, column) : Number.NaN;
      }
      values[y * FILM_SIDE + x] = sum / SAMPLES ** 2;
    }
  }
  return values;
}

/** The first window that the instance itself asks for (PS3.3 §C.11.2). */
function windowOf(dataSet: DataSet): { low: number; high: number } | undefined {
  const centre = dataSet.floatString(parserTag("WindowCenter"));
  const width = dataSet.floatString(parserTag("WindowWidth"));
  if (centre === undefined || width === undefined || !(width >= 1)) return undefined;
  return { low: centre - width / 2, high: centre + width / 2 };
}

function rangeOf(values: Float32Array): { low: number; high: number } {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high };
}
