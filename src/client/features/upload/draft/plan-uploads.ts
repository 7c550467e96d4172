import { baseName } from "../../../../shared/rules/skipped-names.ts";
import type { SendableExam } from "../contents/sort-exams.ts";
import { EMPTY_FORM, type ExamForm, isChanged } from "../exam-form/exam-form.ts";
import { type PackableFile, packedSizeBytes } from "../pack-folder/pack-folder.ts";
import { MAX_FOLDER_FILES, PACKED_FOLDER_NAME } from "../pick/upload-rules.ts";
import { isBeyondUpload } from "./beyond-upload.ts";
import { type Exam, type ExamFile, storedSizeOfAll } from "./exam.ts";
import type { ExamSource } from "./merge-exams.ts";
import type { ReadSource } from "./read-source.ts";

/** One upload of what was chosen. */
export interface PlannedUpload {
  kind: "zip" | "folder";
  /** Names it in the tray. */
  name: string;
  /** Under which it is sent. */
  fileName: string;
  /** The ZIP that goes as it is; undefined if `files` are packed. */
  zip: File | undefined;
  /** All of its files, at paths of their own; empty of a ZIP that the browser can't read. */
  files: PackableFile[];
  /** Count of the files that were picked, if all of them belong to it. */
  fileCount: number | undefined;
  exams: Exam[];
  /** False if there may be more in it than the exams. */
  isComplete: boolean;
  /** The values of its first exam, and what the person made of them. */
  prefilled: ExamForm | undefined;
  form: ExamForm;
}

export interface Choice {
  /** In the order in which they were picked. */
  sources: readonly ExamSource[];
  /** Ids of the sources of which an instance is in another one, and is left out. */
  withoutTwins: ReadonlySet<string>;
  /** The exams that are sent. */
  chosen: readonly SendableExam[];
  /**
   * What the person does not want to send: ids of the sources in which the browser found no exam, and {@link restKey} of those that
   * it could not read to their end.
   */
  unticked: ReadonlySet<string>;
  /** What the person corrected, by Study Instance UID; by the source's id where no exam was found. */
  corrections: ReadonlyMap<string, ExamForm>;
  maxUploadBytes: number;
  /** The bytes that the plan has room for; infinite if nobody knows. */
  roomBytes: number;
}

/** Whether the browser found no exam in a source: it is sent as it is, and the server judges it. */
function isUnread({ contents }: ReadSource): boolean {
  return !contents || contents.studies.length === 0;
}

/** Whether a source in which the browser found no exam can be sent: not a folder of which each file is larger than an upload may be. */
export function isUnreadSendable(source: ExamSource, maxUploadBytes: number): boolean {
  const { read } = source;
  if (!isUnread(read)) return false;
  return read.zip !== undefined || beyondOf(source, maxUploadBytes).length < read.files.length;
}

/** Stands for the rest of a source where it is ticked. */
export function restKey({ id }: ExamSource): string {
  return `${id} rest`;
}

/**
 * The files of a source that may hold images of which the exam is not known. The server looks at them, so that nothing is left behind
 * because a disc was slow to read.
 */
export function restOf(source: ExamSource, maxUploadBytes: number): PackableFile[] {
  return unplacedOf(source).filter((file) => !isBeyondUpload(file, maxUploadBytes));
}

/** The files of which the exam is not known, and that can't be sent because one alone is larger than an upload may be. */
export function beyondOf(source: ExamSource, maxUploadBytes: number): PackableFile[] {
  const { read } = source;
  const unknown = isUnread(read) && !read.zip ? read.files : unplacedOf(source);
  return unknown.filter((file) => isBeyondUpload(file, maxUploadBytes));
}

function unplacedOf({ read }: ExamSource): PackableFile[] {
  return (read.contents?.unplaced ?? [])
    .flatMap((place) => read.files[place] ?? [])
    .filter(({ path }) => !isDirectory(path));
}

/** Whether a source was not read to its end, so that the person decides about its rest. */
export function hasUnreadRest(source: ExamSource, maxUploadBytes: number): boolean {
  const { contents } = source.read;
  return (
    contents?.isComplete === false && !isUnread(source.read) && restOf(source, maxUploadBytes).length > 0
  );
}

/** Whether a file is the directory of a medium (PS3.10 §8), which holds no image. */
function isDirectory(path: string): boolean {
  return baseName(path).toUpperCase() === "DICOMDIR";
}

/**
 * The uploads that send what was chosen: each corrected exam alone, since its values apply to nothing else, and the rest of each
 * source together. A source that is sent whole goes as it is, unless the plan has room for its exams alone. What is larger than an
 * upload may be goes in several.
 */
export function planUploads(choice: Choice): PlannedUpload[] {
  const planned = uploadsOf(choice, { isBare: false });
  const sizeBytes = planned.reduce((sum, { zip, files }) => sum + (zip?.size ?? storedSizeOfAll(files)), 0);
  return sizeBytes > choice.roomBytes ? uploadsOf(choice, { isBare: true }) : planned;
}

/** The Study Instance UIDs of the exams that are whole in the first `count` uploads. */
export function wholeExamsIn(planned: readonly PlannedUpload[], count: number): string[] {
  const uidsOf = (uploads: readonly PlannedUpload[]) =>
    uploads.flatMap(({ exams }) => exams.map(({ studyInstanceUID }) => studyInstanceUID));
  const later = new Set(uidsOf(planned.slice(count)));
  return [...new Set(uidsOf(planned.slice(0, count)))].filter((uid) => !later.has(uid));
}

/** How a source is sent: with `isBare` its chosen exams alone, otherwise as it is where that is possible. */
type UploadForm = { isBare: boolean };

function uploadsOf(choice: Choice, form: UploadForm): PlannedUpload[] {
  const isCorrected = ({ exam }: SendableExam) =>
    isChanged(choice.corrections.get(exam.studyInstanceUID), exam.about);
  const corrected = choice.chosen.filter(isCorrected);
  const plain = choice.chosen.filter((one) => !isCorrected(one));
  return [
    ...choice.sources.flatMap((source) => numbered(ofSource(source, plain, choice, form))),
    ...corrected.flatMap((one) => numbered(ofCorrected(one, choice))),
  ];
}

/** Tells the uploads of one source apart: `CD (1/2)`. */
function numbered(uploads: PlannedUpload[]): PlannedUpload[] {
  if (uploads.length < 2) return uploads;
  return uploads.map((one, n) => ({ ...one, name: `${one.name} (${n + 1}/${uploads.length})` }));
}

function ofSource(
  source: ExamSource,
  plain: readonly SendableExam[],
  choice: Choice,
  { isBare }: UploadForm,
): PlannedUpload[] {
  const { id, read } = source;
  const { maxUploadBytes } = choice;
  if (isUnread(read)) return choice.unticked.has(id) ? [] : ofUnread(source, choice);
  const isOfSource = ({ files }: SendableExam) => files.some((file) => file.source === id);
  const own = plain.filter(isOfSource);
  if (!isBare && isWhole(source, own, choice)) return [wholeSource(read, own)];
  const parts = own.map((one) => ({ ...one, files: one.files.filter((file) => file.source === id) }));
  const fileName = read.zip ? read.name : PACKED_FOLDER_NAME;
  const uploads = inUploads(parts, maxUploadBytes).map((group) =>
    packed(group, { name: read.name, fileName }),
  );
  const isRestSent = hasUnreadRest(source, maxUploadBytes)
    ? !choice.unticked.has(restKey(source))
    : choice.chosen.some(isOfSource);
  return isRestSent ? withRest(uploads, source, maxUploadBytes) : uploads;
}

/** Adds the rest of a source to the last of its uploads, or as uploads of its own. */
function withRest(uploads: PlannedUpload[], source: ExamSource, maxUploadBytes: number): PlannedUpload[] {
  const rest = restOf(source, maxUploadBytes);
  if (rest.length === 0) return uploads;
  const isComplete = source.read.contents?.isComplete ?? false;
  const last = uploads.at(-1);
  const together = atOwnPaths([...(last?.files ?? []), ...rest]);
  if (last && fitsUpload(together, maxUploadBytes))
    return [...uploads.slice(0, -1), { ...last, files: together, isComplete }];
  const names = { name: source.read.name, fileName: last?.fileName ?? PACKED_FOLDER_NAME };
  const alone = inPacks(rest, maxUploadBytes).map((files) => ({
    ...packed([], names),
    files: atOwnPaths(files),
    isComplete: false,
  }));
  return [...uploads, ...alone];
}

/** Whether all that was found in a source is sent, uncorrected and from here. */
function isWhole(
  source: ExamSource,
  own: readonly SendableExam[],
  { withoutTwins, unticked, maxUploadBytes }: Choice,
): boolean {
  const { id, read } = source;
  const sent = new Set(own.map(({ exam }) => exam.studyInstanceUID));
  const isOfSource = (file: ExamFile) => file.source === id;
  return (
    own.length > 0 &&
    !withoutTwins.has(id) &&
    (read.zip !== undefined || fitsUpload(read.files, maxUploadBytes)) &&
    !(hasUnreadRest(source, maxUploadBytes) && unticked.has(restKey(source))) &&
    (read.contents?.studies ?? []).every(({ studyInstanceUID }) => sent.has(studyInstanceUID)) &&
    own.every(({ exam, files }) => files.filter(isOfSource).length === exam.files.filter(isOfSource).length)
  );
}

function ofUnread({ id, read }: ExamSource, { corrections, maxUploadBytes }: Choice): PlannedUpload[] {
  const form = corrections.get(id) ?? read.prefilled ?? EMPTY_FORM;
  const whole = { ...wholeSource(read, []), form, prefilled: read.prefilled };
  if (read.zip || fitsUpload(read.files, maxUploadBytes)) return [whole];
  const files = read.files.filter((file) => !isBeyondUpload(file, maxUploadBytes));
  return inPacks(files, maxUploadBytes).map((pack) => ({ ...whole, files: pack, fileCount: undefined }));
}

function wholeSource(read: ReadSource, own: readonly SendableExam[]): PlannedUpload {
  const { kind, name, zip, files, fileCount, contents, prefilled } = read;
  return {
    kind,
    name,
    zip,
    files,
    fileCount,
    prefilled,
    fileName: zip ? name : PACKED_FOLDER_NAME,
    exams: own.map(({ exam }) => exam),
    isComplete: contents?.isComplete ?? false,
    form: prefilled ?? EMPTY_FORM,
  };
}

function ofCorrected(one: SendableExam, { corrections, maxUploadBytes }: Choice): PlannedUpload[] {
  const { about, studyInstanceUID } = one.exam;
  const form = corrections.get(studyInstanceUID) ?? about;
  const name = form.description || PACKED_FOLDER_NAME;
  return inUploads([one], maxUploadBytes).map((group) => ({
    ...packed(group, { name, fileName: PACKED_FOLDER_NAME }),
    form,
  }));
}

function packed(
  parts: readonly SendableExam[],
  names: Pick<PlannedUpload, "name" | "fileName">,
): PlannedUpload {
  const prefilled = parts[0]?.exam.about;
  return {
    ...names,
    kind: "folder",
    zip: undefined,
    fileCount: undefined,
    isComplete: true,
    files: atOwnPaths(parts.flatMap(({ files }) => files)),
    exams: parts.map(({ exam }) => exam),
    prefilled,
    form: prefilled ?? EMPTY_FORM,
  };
}

function fitsUpload(files: readonly PackableFile[], maxUploadBytes: number): boolean {
  return files.length <= MAX_FOLDER_FILES && packedSizeBytes(atOwnPaths(files)) <= maxUploadBytes;
}

/** The exams in few groups that fit into uploads, in their order; an exam that fits into none is several parts. */
function inUploads(parts: readonly SendableExam[], maxUploadBytes: number): SendableExam[][] {
  const groups: { parts: SendableExam[]; sizeBytes: number; count: number }[] = [];
  for (const part of parts.flatMap((one) => inParts(one, maxUploadBytes))) {
    const sizeBytes = packedSizeBytes(atOwnPaths(part.files));
    const { length: count } = part.files;
    const last = groups.at(-1);
    if (last && last.sizeBytes + sizeBytes <= maxUploadBytes && last.count + count <= MAX_FOLDER_FILES) {
      last.parts.push(part);
      last.sizeBytes += sizeBytes;
      last.count += count;
    } else groups.push({ parts: [part], sizeBytes, count });
  }
  return groups.map((group) => group.parts);
}

/** An exam's files lie series by series, so that few series are in two parts. */
function inParts(one: SendableExam, maxUploadBytes: number): SendableExam[] {
  if (fitsUpload(one.files, maxUploadBytes)) return [one];
  return inPacks(one.files, maxUploadBytes).map((files) => ({ ...one, files }));
}

/** Files in as few packs as fit into uploads, in their order. One that is larger by itself has a pack of its own. */
function inPacks<File extends PackableFile>(files: readonly File[], maxUploadBytes: number): File[][] {
  const packs: File[][] = [];
  let sizeBytes = 0;
  const own = atOwnPaths(files);
  for (const [n, file] of files.entries()) {
    const size = packedSizeBytes(own.slice(n, n + 1));
    const last = packs.at(-1);
    if (last && sizeBytes + size <= maxUploadBytes && last.length < MAX_FOLDER_FILES) {
      last.push(file);
      sizeBytes += size;
    } else {
      packs.push([file]);
      sizeBytes = size;
    }
  }
  return packs;
}

/** Files of several sources may share a path; each gets one of its own. */
function atOwnPaths(files: readonly PackableFile[]): PackableFile[] {
  const taken = new Set<string>();
  return files.map(({ path, file, entry, sizeBytes }, n) => {
    let own = path;
    for (let turn = n; taken.has(own); turn++) own = `${turn}/${path}`;
    taken.add(own);
    return { path: own, file, ...(entry && { entry }), ...(sizeBytes !== undefined && { sizeBytes }) };
  });
}
