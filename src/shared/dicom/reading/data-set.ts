import { Tag } from "../tags.ts";

/** How a data set is encoded (PS3.5 §7.1, §7.3). */
export interface Encoding {
  explicit: boolean;
  littleEndian: boolean;
}

/** Where an element's value is. Offsets count from the first byte of the file (inflated, if deflated). */
export interface Element {
  tag: number;
  vr: string;
  /** First byte of the value field. */
  offset: number;
  /** Bytes of the value field that are present; for undefined length, up to and including its delimiter. */
  length: number;
  /** Whether the VR was looked up in the dictionary instead of read. */
  implicit: boolean;
  items?: DataSet[];
  /** Encapsulated pixel data: `[offset, length]` of each item's value; the first is the Basic Offset Table. */
  fragments?: [offset: number, length: number][];
}

export interface DataSet {
  encoding: Encoding;
  elements: Element[];
}

/** A parsed DICOM file, whose values are still in the source. */
export interface ParsedFile {
  fileMeta: DataSet;
  dataSet: DataSet;
  transferSyntaxUID: string;
  /** Whether it has preamble and prefix or File Meta Information; otherwise it is a bare data set. */
  isPart10: boolean;
  /** Offsets count in the file with its data set inflated. */
  deflated: boolean;
  /** What extends past the end of the file, for the log; undefined if nothing does. */
  truncation: string | undefined;
  /** Whether the file ends where a delimiter should close encapsulated pixel data. */
  openEnded: boolean;
}

export const PIXEL_DATA_TAGS: ReadonlySet<number> = new Set([
  Tag.PixelData,
  Tag.FloatPixelData,
  Tag.DoubleFloatPixelData,
]);

export function findElement({ elements }: DataSet, tag: number): Element | undefined {
  return elements.find((element) => element.tag === tag);
}
