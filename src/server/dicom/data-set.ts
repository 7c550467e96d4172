import { Tag } from "../../shared/dicom/tags.ts";

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

export const PIXEL_DATA_TAGS: ReadonlySet<number> = new Set([
  Tag.PixelData,
  Tag.FloatPixelData,
  Tag.DoubleFloatPixelData,
]);

export function findElement({ elements }: DataSet, tag: number): Element | undefined {
  return elements.find((element) => element.tag === tag);
}
