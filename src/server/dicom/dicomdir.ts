import { Tag, TagHex } from "../../shared/dicom/tags.ts";
import {
  type DicomElements,
  delimiter,
  elementHeader,
  encodeDataSet,
  encodeFileMeta,
} from "./write-instance.ts";

const MEDIA_STORAGE_DIRECTORY = "1.2.840.10008.1.3.10";
const EXPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2.1";
const PREAMBLE_BYTES = 128;
const ITEM_HEADER_BYTES = 8;
/** Where an encoded record has its two offsets: they come first, and the elements before them have fixed lengths. */
const NEXT_AT = 8;
const LOWER_AT = 30;
const IN_USE = 0xffff;

/** A record of a DICOMDIR (PS3.3 §F.3), encoded, with the records below it. */
export interface DirectoryRecord {
  bytes: Uint8Array;
  lower: DirectoryRecord[];
}

/** Encodes a record. Its text is Latin-1 if that has every letter, which every reader knows, and UTF-8 otherwise. */
export function directoryRecord(type: string, elements: DicomElements): DirectoryRecord {
  const text = JSON.stringify(Object.values(elements));
  const utf8 = /[^\0-\xff]/.test(text);
  const isPlain = /^[\0-\x7f]*$/.test(text);
  const bytes = encodeDataSet(
    {
      [TagHex.OffsetOfTheNextDirectoryRecord]: { vr: "UL", Value: [0] },
      [TagHex.RecordInUseFlag]: { vr: "US", Value: [IN_USE] },
      [TagHex.OffsetOfReferencedLowerLevelDirectoryEntity]: { vr: "UL", Value: [0] },
      [TagHex.DirectoryRecordType]: { vr: "CS", Value: [type] },
      ...(!isPlain && {
        [TagHex.SpecificCharacterSet]: { vr: "CS", Value: [utf8 ? "ISO_IR 192" : "ISO_IR 100"] },
      }),
      ...elements,
    },
    { explicit: true, littleEndian: true, undefinedLengths: false, utf8 },
  );
  return { bytes, lower: [] };
}

/** A DICOMDIR of these records (PS3.10 §8.6), piece by piece. `fileSetID` is at most 16 capitals. */
export function* encodeDicomdir(
  fileSetID: string,
  sopInstanceUID: string,
  roots: readonly DirectoryRecord[],
): Generator<Uint8Array> {
  const [meta, head] = encodeHead(fileSetID, sopInstanceUID, [0, 0]);
  const sequenceAt = PREAMBLE_BYTES + 4 + meta.length + head.length;
  const first = sequenceAt + elementHeader(Tag.DirectoryRecordSequence, "SQ", 0, ENCODING).length;
  const places = new Map<DirectoryRecord, number>();
  let end = first;
  for (const record of inOrder(roots)) {
    places.set(record, end);
    end += ITEM_HEADER_BYTES + record.bytes.length;
  }
  const placeOf = (record: DirectoryRecord | undefined) => (record && places.get(record)) ?? 0;
  yield new Uint8Array(PREAMBLE_BYTES);
  yield Buffer.from("DICM", "latin1");
  yield meta;
  yield encodeHead(fileSetID, sopInstanceUID, [placeOf(roots[0]), placeOf(roots.at(-1))])[1];
  yield elementHeader(Tag.DirectoryRecordSequence, "SQ", end - first, ENCODING);
  yield* items(roots, placeOf);
}

const ENCODING = { explicit: true, littleEndian: true, undefinedLengths: false, utf8: false };

function encodeHead(fileSetID: string, sopInstanceUID: string, [first, last]: [number, number]) {
  const ids = {
    [TagHex.SOPClassUID]: { vr: "UI", Value: [MEDIA_STORAGE_DIRECTORY] },
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [sopInstanceUID] },
  };
  const head = encodeDataSet(
    {
      [TagHex.FileSetID]: { vr: "CS", Value: [fileSetID] },
      [TagHex.OffsetOfTheFirstDirectoryRecordOfTheRootDirectoryEntity]: { vr: "UL", Value: [first] },
      [TagHex.OffsetOfTheLastDirectoryRecordOfTheRootDirectoryEntity]: { vr: "UL", Value: [last] },
      [TagHex.FileSetConsistencyFlag]: { vr: "US", Value: [0] },
    },
    ENCODING,
  );
  return [encodeFileMeta(EXPLICIT_LITTLE_ENDIAN, ids, {}), head] as const;
}

/** Each record, followed by those below it. */
function* inOrder(records: readonly DirectoryRecord[]): Generator<DirectoryRecord> {
  for (const record of records) {
    yield record;
    yield* inOrder(record.lower);
  }
}

function* items(
  records: readonly DirectoryRecord[],
  placeOf: (record: DirectoryRecord | undefined) => number,
): Generator<Uint8Array> {
  for (const [index, record] of records.entries()) {
    const { bytes, lower } = record;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    view.setUint32(NEXT_AT, placeOf(records[index + 1]), true);
    view.setUint32(LOWER_AT, placeOf(lower[0]), true);
    yield delimiter(Tag.Item, bytes.length, true);
    yield bytes;
    yield* items(lower, placeOf);
  }
}
