import type { DicomJson, DicomJsonElement } from "../../../shared/dicom/dicom-json.ts";
import { documentKindOf } from "../../../shared/dicom/document-kind.ts";
import { META_START, mayBeInstance } from "../../../shared/dicom/instance-start.ts";
import { assembleFrame, locateFrame } from "../../../shared/dicom/reading/cut-frame.ts";
import type { FrameTable } from "../../../shared/dicom/reading/frame-table.ts";
import type { ByteSource, Instance } from "../../../shared/dicom/reading/instance.ts";
import { parseFile } from "../../../shared/dicom/reading/parse-file.ts";
import { readInstance } from "../../../shared/dicom/reading/read-instance.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { frameTransferSyntaxUID } from "../../../shared/dicom/transfer-syntax.ts";
import {
  type BulkDataRange,
  type EncodedFrame,
  type SeriesRecord,
  type SeriesUIDs,
  SourceUnreadable,
} from "../core/source.ts";
import { readLocalBulkData } from "./local-bulk-data.ts";
import { FileWindow, inflateDataSet, joined, type ReadSync } from "./local-bytes.ts";
import { readLocalDocument } from "./local-document.ts";
import { listEntries, MAX_INFLATED_ENTRY_BYTES, type Place, placeOf, sourceOf } from "./local-entries.ts";
import type { LocalDocument, LocalExams, LocalFile, LocalStudy } from "./local-files.ts";

export interface LocalLimits {
  maxFiles: number;
  maxInstances: number;
  maxSeries: number;
  /** The most bytes of the instances' metadata as text, and of the places of their frames. */
  maxIndexBytes: number;
  /** The most bytes that are inflated to find the instances, all files together. */
  maxOpeningBytes: number;
  maxFrameBytes: number;
  /** The most bytes of whole instances that are held because they are deflated. */
  heldBytes: number;
}

/** A disc of 20,000 slices takes some 60 MB. */
export const LOCAL_LIMITS: LocalLimits = {
  maxFiles: 200_000,
  maxInstances: 50_000,
  maxSeries: 2_000,
  maxIndexBytes: 96 * 1024 * 1024,
  maxOpeningBytes: 4 * 1024 * 1024 * 1024,
  maxFrameBytes: 160 * 1024 * 1024,
  heldBytes: 64 * 1024 * 1024,
};

interface KeptInstance {
  place: Place;
  frames: FrameTable;
  transferSyntaxUID: string;
  isDocument: boolean;
  /** As text, which takes a third of the memory. */
  metadata: string;
}

interface KeptSeries {
  record: SeriesRecord;
  instances: KeptInstance[];
}

/** Exams in files of this device. Only the places of frames are held, not the files. */
export interface LocalArchive {
  exams: LocalExams;
  metadata(series: SeriesUIDs): DicomJson[];
  /** @throws {RangeError} if there is no such frame, or its bytes are not there */
  frame(sopInstanceUID: string, frameIndex: number): EncodedFrame;
  /** @throws {SourceUnreadable} if it has nothing to read, or too much */
  document(sopInstanceUID: string): LocalDocument;
  /** @throws {SourceUnreadable} if there is no such value */
  bulkData(sopInstanceUID: string, range: BulkDataRange): Uint8Array<ArrayBuffer>;
}

/** A limit of the opening is reached. */
class OpeningEnds extends Error {}

/** Finds the instances in the files. Files that are no instance, or damaged, are left out. */
export async function openLocalArchive(
  files: readonly LocalFile[],
  readSync: ReadSync,
  { onRead, limits = LOCAL_LIMITS }: { onRead(files: number, total: number): void; limits?: LocalLimits },
): Promise<LocalArchive> {
  const window = new FileWindow(readSync);
  const { entries, files: fileCount } = await listEntries(files, window);
  const series = new Map<string, KeptSeries>();
  const studies = new Map<string, LocalStudy>();
  const bySop = new Map<string, KeptInstance>();
  const syntaxes = new Set<string>();
  let indexBytes = 0;
  let openingBytes = 0;
  let isOpen = false;
  let isCut = entries.length > limits.maxFiles;
  const spend = (bytes: number) => {
    openingBytes += bytes;
    if (!isOpen && openingBytes > limits.maxOpeningBytes) throw new OpeningEnds();
  };

  function keep(instance: Instance, place: Place): void {
    const { studyInstanceUID, seriesInstanceUID, sopInstanceUID, transferSyntaxUID, frames } = instance;
    // The first instance of a UID is the one that is shown, as in the archive.
    if (bySop.has(sopInstanceUID)) return;
    const metadata = JSON.stringify(shownAttributes(instance.metadata));
    indexBytes += metadata.length + weightOf(frames);
    const uid = `${studyInstanceUID}/${seriesInstanceUID}`;
    const isNew = !series.has(uid);
    if (
      indexBytes > limits.maxIndexBytes ||
      bySop.size >= limits.maxInstances ||
      (isNew && series.size >= limits.maxSeries)
    )
      throw new OpeningEnds();
    const study = studies.get(studyInstanceUID) ?? studyOf(instance);
    studies.set(studyInstanceUID, study);
    const kept = series.get(uid) ?? { record: seriesRecordOf(instance), instances: [] };
    if (isNew) {
      series.set(uid, kept);
      study.series.push(kept.record);
    }
    const shown = {
      place,
      frames,
      metadata,
      transferSyntaxUID: frameTransferSyntaxUID(transferSyntaxUID),
      isDocument: documentKindOf(instance.sopClassUID) !== undefined,
    };
    kept.instances.push(shown);
    bySop.set(sopInstanceUID, shown);
    if (frames.kind !== "none") syntaxes.add(shown.transferSyntaxUID);
    kept.record.instanceCount++;
  }

  let read = 0;
  const total = Math.min(entries.length, limits.maxFiles);
  try {
    for (const entry of entries.slice(0, total)) {
      const place = placeOf(entry, window);
      const source = place && sourceOf(place, window, spend);
      if (place && source && mayBeInstance(source.read(0, META_START))) {
        const found = readInstance(source, inflateDataSet, { maxInflatedBytes: MAX_INFLATED_ENTRY_BYTES });
        if (found.ok) keep(found.instance, place);
      }
      onRead(++read, total);
    }
  } catch (error) {
    if (!(error instanceof OpeningEnds)) throw error;
    isCut = true;
  }
  isOpen = true;
  for (const study of studies.values()) {
    const shown = study.series.filter(({ studyInstanceUID, seriesInstanceUID }) =>
      series
        .get(`${studyInstanceUID}/${seriesInstanceUID}`)
        ?.instances.some(({ frames, isDocument }) => frames.kind !== "none" || isDocument),
    );
    // An exam without any images says so itself; beside images or documents, other series have nothing to show.
    if (shown.length > 0) study.series = shown;
    study.series.sort(byNumber);
  }

  const held = createHeld(limits.heldBytes);
  return {
    exams: {
      studies: [...studies.values()].sort((a, b) => imagesOf(b) - imagesOf(a)),
      files: fileCount,
      transferSyntaxUIDs: [...syntaxes],
      isCut,
    },
    metadata: ({ studyInstanceUID, seriesInstanceUID }) =>
      (series.get(`${studyInstanceUID}/${seriesInstanceUID}`)?.instances ?? []).map(
        ({ metadata }) => JSON.parse(metadata) as DicomJson,
      ),
    frame(sopInstanceUID, frameIndex) {
      const instance = bySop.get(sopInstanceUID);
      const location = instance && locateFrame(instance.frames, frameIndex);
      if (!instance || !location) throw new RangeError("no such frame");
      const { place, frames, transferSyntaxUID } = instance;
      const start = Math.min(...location.ranges.map(([offset]) => offset));
      const end = Math.max(...location.ranges.map(([offset, length]) => offset + length));
      if (end - start > limits.maxFrameBytes) throw new RangeError("a frame of too many bytes");
      const isInflated = frames.kind === "native" && frames.deflated === true;
      const whole = place.isDeflated || isInflated;
      const bytes = whole
        ? held(sopInstanceUID, () => wholeOf(sourceOf(place, window, spend), isInflated)).subarray(start, end)
        : sourceOf(place, window, spend).read(start, end - start);
      if (bytes.length < end - start) throw new RangeError("bytes are missing");
      // A copy: the bytes are handed to another thread.
      return { bytes: assembleFrame(bytes, start, location).slice(), transferSyntaxUID };
    },
    document(sopInstanceUID) {
      const instance = bySop.get(sopInstanceUID);
      if (!instance?.isDocument) throw new SourceUnreadable("no document");
      return readLocalDocument(sourceOf(instance.place, window, spend));
    },
    bulkData(sopInstanceUID, range) {
      const instance = bySop.get(sopInstanceUID);
      if (!instance) throw new SourceUnreadable("no such instance");
      return readLocalBulkData(sourceOf(instance.place, window, spend), range);
    },
  };
}

function wholeOf(source: ByteSource, isDataSetDeflated: boolean): Uint8Array {
  if (!isDataSetDeflated) return source.read(0, source.sizeBytes);
  const { source: inflated } = parseFile(source, inflateDataSet, {
    maxInflatedBytes: MAX_INFLATED_ENTRY_BYTES,
  });
  const head = inflated.read(0, inflated.sizeBytes);
  return joined([head, inflated.read(head.length, inflated.sizeBytes - head.length)], inflated.sizeBytes);
}

/** Keeps the whole instances that were used last. One is always kept, however large it is. */
function createHeld(maxBytes: number): (key: string, make: () => Uint8Array) => Uint8Array {
  const held = new Map<string, Uint8Array>();
  let sizeBytes = 0;
  return (key, make) => {
    const whole = held.get(key) ?? make();
    if (!held.delete(key)) sizeBytes += whole.length;
    held.set(key, whole);
    for (const [oldest, bytes] of held) {
      if (sizeBytes <= maxBytes || oldest === key) break;
      held.delete(oldest);
      sizeBytes -= bytes.length;
    }
    return whole;
  };
}

const RANGE_BYTES = 48;

/** The memory that a frame table takes: hostile files have hundreds of thousands of empty fragments. */
function weightOf(frames: FrameTable): number {
  if (frames.kind !== "encapsulated") return 0;
  return frames.frames.reduce((sum, ranges) => sum + (ranges.length + 1) * RANGE_BYTES, 0);
}

function studyOf({ studyInstanceUID, index }: Instance): LocalStudy {
  const { patientName, studyDescription, studyDate, institutionName, modality } = index;
  const about = { patientName, studyDescription, studyDate, institutionName, modality };
  return { studyInstanceUID, about, series: [] };
}

function seriesRecordOf({ studyInstanceUID, seriesInstanceUID, index }: Instance): SeriesRecord {
  return {
    studyInstanceUID,
    seriesInstanceUID,
    seriesNumber: index.seriesNumber,
    modality: index.modality ?? "",
    description: index.seriesDescription ?? "",
    instanceCount: 0,
  };
}

/** As the archive lists series: by number, those without one last. */
function byNumber(a: SeriesRecord, b: SeriesRecord): number {
  const number = ({ seriesNumber }: SeriesRecord) => seriesNumber ?? Number.MAX_VALUE;
  return number(a) - number(b) || (a.seriesInstanceUID < b.seriesInstanceUID ? -1 : 1);
}

function imagesOf({ series }: LocalStudy): number {
  return series.reduce((sum, { instanceCount }) => sum + instanceCount, 0);
}

/** Sequences that say how pixels are shown and measured, and what a report is called. */
const SHOWN_SEQUENCES: ReadonlySet<string> = new Set([
  TagHex.ConceptNameCodeSequence,
  TagHex.SharedFunctionalGroupsSequence,
  TagHex.PerFrameFunctionalGroupsSequence,
  TagHex.ModalityLUTSequence,
  TagHex.VOILUTSequence,
  TagHex.SequenceOfUltrasoundRegions,
]);
const MAX_LONG_VALUES = 64;

/** Leaves out what neither a picture nor a title depends on: private attributes, other sequences, long lists of numbers. */
function shownAttributes(metadata: DicomJson): DicomJson {
  return Object.fromEntries(Object.entries(metadata).filter(([tag, element]) => isShown(tag, element)));
}

function isShown(tag: string, { vr, Value }: DicomJsonElement): boolean {
  if (Number.parseInt(tag.slice(0, 4), 16) % 2 === 1) return false;
  if (vr === "SQ") return SHOWN_SEQUENCES.has(tag);
  // Palettes and other tables are in group 0028; a film has a time for each frame.
  const isTable = tag.startsWith("0028") || tag === TagHex.FrameTimeVector;
  return isTable || (Value?.length ?? 0) <= MAX_LONG_VALUES;
}
