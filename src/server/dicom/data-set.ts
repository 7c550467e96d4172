/** How a data set is written (PS3.5 §7.1, §7.3). */
export interface Encoding {
  explicit: boolean;
  littleEndian: boolean;
}

/** Where an element's value lies. Offsets count from the first byte of the file (inflated, if deflated). */
export interface Element {
  tag: number;
  vr: string;
  /** First byte of the value field. */
  offset: number;
  /** Bytes of the value field that are there; of undefined length up to and with its delimiter. */
  length: number;
  /** The VR was looked up, not read. */
  implicit: boolean;
  items?: DataSet[];
  /** Encapsulated pixel data: `[offset, length]` of each item's value; the first is the Basic Offset Table. */
  fragments?: [offset: number, length: number][];
}

export interface DataSet {
  encoding: Encoding;
  elements: Element[];
}

/** A DICOM file taken apart, its values still in the source. */
export interface ParsedFile {
  fileMeta: DataSet;
  dataSet: DataSet;
  transferSyntaxUID: string;
  /** It has preamble and prefix or File Meta Information; else it is a bare data set. */
  isPart10: boolean;
  /** Offsets count in the file with its data set inflated. */
  deflated: boolean;
  /** What runs past the end of the file, for the log; undefined where nothing does. */
  truncation: string | undefined;
  /** The file ends where encapsulated pixel data should be closed by a delimiter. */
  openEnded: boolean;
}

/** Tags the code names, by keyword (PS3.6 §6, §7). */
export const Tag = {
  mediaStorageSOPClassUID: 0x00020002,
  transferSyntaxUID: 0x00020010,
  directoryRecordSequence: 0x00041220,
  specificCharacterSet: 0x00080005,
  sopClassUID: 0x00080016,
  sopInstanceUID: 0x00080018,
  studyInstanceUID: 0x0020000d,
  seriesInstanceUID: 0x0020000e,
  samplesPerPixel: 0x00280002,
  photometricInterpretation: 0x00280004,
  numberOfFrames: 0x00280008,
  rows: 0x00280010,
  columns: 0x00280011,
  bitsAllocated: 0x00280100,
  pixelRepresentation: 0x00280103,
  extendedOffsetTable: 0x7fe00001,
  extendedOffsetTableLengths: 0x7fe00002,
  floatPixelData: 0x7fe00008,
  doubleFloatPixelData: 0x7fe00009,
  pixelData: 0x7fe00010,
  item: 0xfffee000,
  itemDelimitation: 0xfffee00d,
  sequenceDelimitation: 0xfffee0dd,
} as const;

export const PIXEL_DATA_TAGS: ReadonlySet<number> = new Set([
  Tag.pixelData,
  Tag.floatPixelData,
  Tag.doubleFloatPixelData,
]);

export function findElement({ elements }: DataSet, tag: number): Element | undefined {
  return elements.find((element) => element.tag === tag);
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0").toUpperCase());

/** A tag as eight upper-case hex digits. */
export function tagHex(tag: number): string {
  return `${HEX[tag >>> 24]}${HEX[(tag >>> 16) & 0xff]}${HEX[(tag >>> 8) & 0xff]}${HEX[tag & 0xff]}`;
}
