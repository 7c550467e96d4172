import { baseName } from "../../../../shared/rules/skipped-names.ts";
import type { SendableExam } from "../contents/sort-exams.ts";
import { EMPTY_FORM, type ExamForm, isChanged } from "../exam-form/exam-form.ts";
import { type PackableFile, packedSizeBytes } from "../pack-folder/pack-folder.ts";
import { MAX_FOLDER_FILES, PACKED_FOLDER_NAME } from "../pick/upload-rules.ts";
import { UploadRefused } from "../upload-problem.ts";
import type { Exam, ExamFile } from "./exam.ts";
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
}

/** Whether the browser found no exam in a source: it is sent as it is, and the server judges it. */
export function isUnread({ contents }: ReadSource): boolean {
  return !contents || contents.studies.length === 0;
}

/** Stands for the rest of a source where it is ticked. */
export function restKey({ id }: ExamSource): string {
  return `${id} rest`;
}

/**
 * The files of a source that may hold images of which the exam is not known. The server looks at them, so that nothing is left behind
 * because a disc was slow to read.
 */
export function restOf({ read }: ExamSource): PackableFile[] {
  return (read.contents?.unplaced ?? [])
    .flatMap((place) => read.files[place] ?? [])
    .filter(({ path }) => !isDirectory(path));
}

/** Whether a source was not read to its end, so that the person decides about its rest. */
export function hasUnreadRest(source: ExamSource): boolean {
  return source.read.contents?.isComplete === false && !isUnread(source.read) && restOf(source).length > 0;
}

/** Whether a file is the directory of a medium (PS3.10 §8), which holds no image. */
function isDirectory(path: string): boolean {
  return baseName(path).toUpperCase() === "DICOMDIR";
}

/**
 * The uploads that send what was chosen: each corrected exam alone, since its values apply to nothing else, and the rest of each
 * source together. A source that is sent whole goes as it is.
 * @throws {UploadRefused} if an exam is larger than an upload may be
 */
export function planUploads(choice: Choice): PlannedUpload[] {
  const isCorrected = ({ exam }: SendableExam) =>
    isChanged(choice.corrections.get(exam.studyInstanceUID), exam.about);
  const corrected = choice.chosen.filter(isCorrected);
  const plain = choice.chosen.filter((one) => !isCorrected(one));
  return [
    ...choice.sources.flatMap((source) => ofSource(source, plain, choice)),
    ...corrected.flatMap((one) => ofCorrected(one, choice)),
  ];
}

function ofSource(source: ExamSource, plain: readonly SendableExam[], choice: Choice): PlannedUpload[] {
  const { id, read } = source;
  if (isUnread(read)) return choice.unticked.has(id) ? [] : [ofUnread(source, choice)];
  const isOfSource = ({ files }: SendableExam) => files.some((file) => file.source === id);
  const own = plain.filter(isOfSource);
  if (isWhole(source, own, choice)) return [wholeSource(read, own)];
  const parts = own.map((one) => ({ ...one, files: one.files.filter((file) => file.source === id) }));
  const fileName = read.zip ? read.name : PACKED_FOLDER_NAME;
  const uploads = inUploads(parts, choice.maxUploadBytes).map((group) =>
    packed(group, { name: read.name, fileName }),
  );
  const isRestSent = hasUnreadRest(source)
    ? !choice.unticked.has(restKey(source))
    : choice.chosen.some(isOfSource);
  return isRestSent ? withRest(uploads, source, choice.maxUploadBytes) : uploads;
}

/** Adds the rest of a source to the last of its uploads, or as uploads of its own. */
function withRest(uploads: PlannedUpload[], source: ExamSource, maxUploadBytes: number): PlannedUpload[] {
  const rest = restOf(source);
  if (rest.length === 0) return uploads;
  const isComplete = source.read.contents?.isComplete ?? false;
  const last = uploads.at(-1);
  const together = atOwnPaths([...(last?.files ?? []), ...rest]);
  if (last && packedSizeBytes(together) <= maxUploadBytes && together.length <= MAX_FOLDER_FILES)
    return [...uploads.slice(0, -1), { ...last, files: together, isComplete }];
  const names = { name: source.read.name, fileName: last?.fileName ?? PACKED_FOLDER_NAME };
  const alone = inPacks(rest, maxUploadBytes).map((files) => ({
    ...packed([], names),
    files,
    isComplete: false,
  }));
  return [...uploads, ...alone];
}

/** Whether all that was found in a source is sent, uncorrected and from here. */
function isWhole(
  source: ExamSource,
  own: readonly SendableExam[],
  { withoutTwins, unticked }: Choice,
): boolean {
  const { id, read } = source;
  const sent = new Set(own.map(({ exam }) => exam.studyInstanceUID));
  const isOfSource = (file: ExamFile) => file.source === id;
  return (
    own.length > 0 &&
    !withoutTwins.has(id) &&
    !(hasUnreadRest(source) && unticked.has(restKey(source))) &&
    (read.contents?.studies ?? []).every(({ studyInstanceUID }) => sent.has(studyInstanceUID)) &&
    own.every(({ exam, files }) => files.filter(isOfSource).length === exam.files.filter(isOfSource).length)
  );
}

function ofUnread({ id, read }: ExamSource, { corrections }: Choice): PlannedUpload {
  const form = corrections.get(id) ?? read.prefilled ?? EMPTY_FORM;
  return { ...wholeSource(read, []), form, prefilled: read.prefilled };
}

function wholeSource(read: ReadSource, own: readonly SendableExam[]): PlannedUpload {
  const { kind, name, zip, files, fileCount, contents, prefilled } = read;
  return {
    ...{ kind, name, zip, files, fileCount, prefilled },
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
    ...{ kind: "folder", zip: undefined, fileCount: undefined, isComplete: true },
    files: atOwnPaths(parts.flatMap(({ files }) => files)),
    exams: parts.map(({ exam }) => exam),
    ...{ prefilled, form: prefilled ?? EMPTY_FORM },
  };
}

/** The exams in as few groups as fit into uploads, in their order. */
function inUploads(parts: readonly SendableExam[], maxUploadBytes: number): SendableExam[][] {
  const groups: { parts: SendableExam[]; sizeBytes: number; count: number }[] = [];
  for (const part of parts) {
    const sizeBytes = packedSizeBytes(atOwnPaths(part.files));
    const { length: count } = part.files;
    if (sizeBytes > maxUploadBytes) throw new UploadRefused("folderTooLarge");
    if (count > MAX_FOLDER_FILES) throw new UploadRefused("tooManyFiles");
    const last = groups.at(-1);
    if (last && last.sizeBytes + sizeBytes <= maxUploadBytes && last.count + count <= MAX_FOLDER_FILES) {
      last.parts.push(part);
      last.sizeBytes += sizeBytes;
      last.count += count;
    } else groups.push({ parts: [part], sizeBytes, count });
  }
  return groups.map((group) => group.parts);
}

/** Files in as few packs as fit into uploads. @throws {UploadRefused} if one does not fit */
function inPacks(files: readonly PackableFile[], maxUploadBytes: number): PackableFile[][] {
  const packs: PackableFile[][] = [];
  let sizeBytes = 0;
  for (const file of atOwnPaths(files)) {
    const size = packedSizeBytes([file]);
    if (size > maxUploadBytes) throw new UploadRefused("folderTooLarge");
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
  return files.map(({ path, file, entry }, n) => {
    let own = path;
    for (let turn = n; taken.has(own); turn++) own = `${turn}/${path}`;
    taken.add(own);
    return { path: own, file, ...(entry && { entry }) };
  });
}
