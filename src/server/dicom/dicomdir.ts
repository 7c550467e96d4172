import { META_START, PREAMBLE_BYTES } from "../../shared/dicom/instance-start.ts";
import { MEDIA_STORAGE_DIRECTORY } from "../../shared/dicom/sop-class.ts";
import { Tag, TagHex } from "../../shared/dicom/tags.ts";
import { TransferSyntax } from "../../shared/dicom/transfer-syntax.ts";
import { WorkTurn } from "../runtime/work-turn.ts";
import {
  type DicomElements,
  delimiter,
  elementHeader,
  encodeDataSet,
  encodeFileMeta,
} from "./write-instance.ts";

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

/** A patient's record and the encoded records of their studies. */
interface DirectoryPatient {
  record: Uint8Array;
  studies: { packed: Uint8Array; sizeBytes: number }[];
}

/**
 * A DICOMDIR (PS3.10 §8.6) that grows study by study. The records of a study are kept compressed, at some 30 bytes an instance, because a
 * whole account may have a million; adding and encoding them lets other work go first again and again.
 */
export class Dicomdir {
  readonly #patients = new Map<string, DirectoryPatient>();

  /** Adds a patient with their studies. Studies of equal patients get into one record. */
  async add({ bytes: record, lower: studies }: DirectoryRecord): Promise<void> {
    const key = Buffer.from(record).toString("latin1");
    const patient = this.#patients.get(key) ?? { record, studies: [] };
    this.#patients.set(key, patient);
    const turn = new WorkTurn();
    for (const study of studies) {
      const places = await placesFrom(0, [study], turn);
      const pieces: Uint8Array[] = [];
      for (const piece of items([study], places)) {
        pieces.push(piece);
        if (turn.isOver()) await turn.next();
      }
      const bytes = Buffer.concat(pieces);
      patient.studies.push({ packed: await Bun.zstdCompress(bytes), sizeBytes: bytes.length });
    }
  }

  /** The file, piece by piece. `fileSetID` is at most 16 capitals. */
  async *encode(fileSetID: string, sopInstanceUID: string): AsyncGenerator<Uint8Array> {
    const patients = [...this.#patients.values()];
    const [meta, head] = encodeHead(fileSetID, sopInstanceUID, [0, 0]);
    const sequenceAt = META_START + meta.length + head.length;
    const first = sequenceAt + elementHeader(Tag.DirectoryRecordSequence, "SQ", 0, ENCODING).length;
    const ends = patients.map(sizeOf);
    for (const [index, size] of ends.entries()) ends[index] = (ends[index - 1] ?? first) + size;
    const end = ends.at(-1) ?? first;
    const last = ends.at(-2) ?? first;
    yield new Uint8Array(PREAMBLE_BYTES);
    yield Buffer.from("DICM", "latin1");
    yield meta;
    yield encodeHead(fileSetID, sopInstanceUID, patients.length > 0 ? [first, last] : [0, 0])[1];
    yield elementHeader(Tag.DirectoryRecordSequence, "SQ", end - first, ENCODING);
    for (const [index, patient] of patients.entries()) {
      yield* patientItems(patient, { at: ends[index - 1] ?? first, isLast: index === patients.length - 1 });
    }
  }
}

function sizeOf({ record, studies }: DirectoryPatient): number {
  return studies.reduce((sum, { sizeBytes }) => sum + sizeBytes, ITEM_HEADER_BYTES + record.length);
}

async function* patientItems(
  patient: DirectoryPatient,
  { at, isLast }: { at: number; isLast: boolean },
): AsyncGenerator<Uint8Array> {
  const { record, studies } = patient;
  const turn = new WorkTurn();
  let studyAt = at + ITEM_HEADER_BYTES + record.length;
  yield* item(record, isLast ? 0 : at + sizeOf(patient), studies.length > 0 ? studyAt : 0);
  for (const [index, { packed, sizeBytes }] of studies.entries()) {
    const bytes = await Bun.zstdDecompress(packed);
    const nextAt = index === studies.length - 1 ? 0 : studyAt + sizeBytes;
    await moveRecords(bytes, studyAt, turn);
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(ITEM_HEADER_BYTES + NEXT_AT, nextAt, true);
    yield bytes;
    studyAt += sizeBytes;
  }
}

/** Moves a study's encoded records to their place in the file. Their offsets count from the start of the study. */
async function moveRecords(bytes: Uint8Array, by: number, turn: WorkTurn): Promise<void> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; ) {
    if (turn.isOver()) await turn.next();
    const end = at + ITEM_HEADER_BYTES + view.getUint32(at + 4, true);
    for (const offsetAt of [at + ITEM_HEADER_BYTES + NEXT_AT, at + ITEM_HEADER_BYTES + LOWER_AT]) {
      // No record leads to the study's own, at 0.
      const offset = view.getUint32(offsetAt, true);
      if (offset !== 0) view.setUint32(offsetAt, offset + by, true);
    }
    at = end;
  }
}

/** Where each record lies if the first begins at `start`. */
async function placesFrom(
  start: number,
  roots: readonly DirectoryRecord[],
  turn: WorkTurn,
): Promise<Map<DirectoryRecord, number>> {
  const places = new Map<DirectoryRecord, number>();
  let end = start;
  for (const record of inOrder(roots)) {
    places.set(record, end);
    end += ITEM_HEADER_BYTES + record.bytes.length;
    if (turn.isOver()) await turn.next();
  }
  return places;
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
  return [encodeFileMeta(TransferSyntax.explicitLittleEndian, ids, {}), head] as const;
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
  places: ReadonlyMap<DirectoryRecord, number>,
): Generator<Uint8Array> {
  const placeOf = (record: DirectoryRecord | undefined) => (record && places.get(record)) ?? 0;
  for (const [index, { bytes, lower }] of records.entries()) {
    yield* item(bytes, placeOf(records[index + 1]), placeOf(lower[0]));
    yield* items(lower, places);
  }
}

function* item(record: Uint8Array, next: number, lower: number): Generator<Uint8Array> {
  const view = new DataView(record.buffer, record.byteOffset, record.length);
  view.setUint32(NEXT_AT, next, true);
  view.setUint32(LOWER_AT, lower, true);
  yield delimiter(Tag.Item, record.length, true);
  yield record;
}
