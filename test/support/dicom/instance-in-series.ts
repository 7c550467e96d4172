import { deflateRawSync } from "node:zlib";
import { type DataSet, parseDicom } from "dicom-parser";

/** Where an instance goes. */
export interface SeriesPlace {
  studyInstanceUID: string;
  /** Two digits, by which the series and its one instance are told from all others of the study. */
  seriesNumber: number;
}

const IMPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2";
const EXPLICIT_BIG_ENDIAN = "1.2.840.10008.1.2.2";
const DEFLATED = "1.2.840.10008.1.2.1.99";
/** Tag, VR if there is one, and length of each element that is written here. */
const HEAD_BYTES = 8;

/**
 * The file of an instance of any transfer syntax, moved into a study as a series of its own, so that one page of the viewer
 * shows many. All other elements keep their bytes.
 */
export function instanceInSeries(file: Uint8Array, place: SeriesPlace): Uint8Array {
  const dataSet = parseDicom(file);
  const { elements } = dataSet;
  const syntax = dataSet.string("x00020010") ?? "";
  const { studyInstanceUID, seriesNumber } = place;
  const number = String(seriesNumber);
  // The length stays, since that of the file's meta information counts it.
  const unique = (tag: string) => "2.25.1".padEnd((elements[tag]?.length ?? 0) - number.length, "7") + number;
  const values = new Map([
    ["x00020003", unique("x00020003")],
    ["x00080018", unique("x00080018")],
    ["x0020000d", studyInstanceUID],
    ["x0020000e", unique("x0020000e")],
    ["x00200011", number],
  ]);
  const moved = withValues(dataSet, values, syntax);
  if (syntax !== DEFLATED) return moved;
  const meta = elements.x00020000;
  if (!meta) throw new Error("the file has no length of its meta information");
  const metaEnd = meta.dataOffset + meta.length + (dataSet.uint32("x00020000") ?? 0);
  return Buffer.concat([moved.subarray(0, metaEnd), deflateRawSync(moved.subarray(metaEnd))]);
}

/** The data set's bytes, not deflated, with these values in place of its own. */
function withValues(
  { elements, byteArray }: DataSet,
  values: ReadonlyMap<string, string>,
  syntax: string,
): Buffer {
  const pieces: Uint8Array[] = [];
  let copied = 0;
  for (const [tag, value] of values) {
    const element = elements[tag];
    if (!element) throw new Error(`the file has no ${tag}`);
    const { dataOffset, length } = element;
    const head = Buffer.from(byteArray.subarray(dataOffset - HEAD_BYTES, dataOffset));
    const field = Buffer.from(value.length % 2 === 0 ? value : `${value}\0`, "latin1");
    if (tag.startsWith("x0002")) head.writeUInt16LE(field.length, 6);
    else if (syntax === IMPLICIT_LITTLE_ENDIAN) head.writeUInt32LE(field.length, 4);
    else if (syntax === EXPLICIT_BIG_ENDIAN) head.writeUInt16BE(field.length, 6);
    else head.writeUInt16LE(field.length, 6);
    pieces.push(byteArray.subarray(copied, dataOffset - HEAD_BYTES), head, field);
    copied = dataOffset + length;
  }
  return Buffer.concat([...pieces, byteArray.subarray(copied)]);
}
