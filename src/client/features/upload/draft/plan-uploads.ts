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
  /** Ids of the sources that the person does not want to send, of those in which the browser found no exam. */
  unticked: ReadonlySet<string>;
  /** What the person corrected, by Study Instance UID; by the source's id where no exam was found. */
  corrections: ReadonlyMap<string, ExamForm>;
  maxUploadBytes: number;
}

/** Whether the browser found no exam in a source: it is sent as it is, and the server judges it. */
export function isUnread({ contents }: ReadSource): boolean {
  return !contents || contents.studies.length === 0;
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
  const own = plain.filter(({ files }) => files.some((file) => file.source === id));
  if (own.length === 0) return [];
  if (isWhole(source, own, choice)) return [wholeSource(read, own)];
  const parts = own.map((one) => ({ ...one, files: one.files.filter((file) => file.source === id) }));
  const fileName = read.zip ? read.name : PACKED_FOLDER_NAME;
  return inUploads(parts, choice.maxUploadBytes).map((group) => packed(group, { name: read.name, fileName }));
}

/** Whether all that was found in a source is sent, uncorrected and from here. */
function isWhole({ id, read }: ExamSource, own: readonly SendableExam[], { withoutTwins }: Choice): boolean {
  const sent = new Set(own.map(({ exam }) => exam.studyInstanceUID));
  const isOfSource = (file: ExamFile) => file.source === id;
  return (
    !withoutTwins.has(id) &&
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

/** Files of several sources may share a path; each gets one of its own. */
function atOwnPaths(files: readonly ExamFile[]): PackableFile[] {
  const taken = new Set<string>();
  return files.map(({ path, file, entry }, n) => {
    let own = path;
    for (let turn = n; taken.has(own); turn++) own = `${turn}/${path}`;
    taken.add(own);
    return { path: own, file, ...(entry && { entry }) };
  });
}
