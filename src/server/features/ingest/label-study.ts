import type { UploadMetadata } from "../../../shared/api/upload.ts";
import { hashEmail, type StudyLabel, textsIn } from "../../archive/study-label.ts";
import type { StoredStudy } from "../studies/study-contents.repo.ts";
import { indexOfInstances, indexOfRow, overridesOf, overridesOfRow, type StudyIndex } from "./study-index.ts";
import type { ScannedStudy, ScanResult } from "./worker/worker-messages.ts";

/** A study of a lost database, as its labels say. */
export interface RestoredStudy {
  studyId: string;
  createdAt: Date;
  overrides: Partial<StudyIndex>;
}

const NO_INDEX: Record<keyof StudyIndex, null> = {
  patientName: null,
  patientID: null,
  patientBirthDate: null,
  patientSex: null,
  accessionNumber: null,
  description: null,
  studyDate: null,
  studyTime: null,
  institutionName: null,
  modality: null,
};

/** The account that a label names. */
export interface LabelOwner {
  accountId: string;
  email: string;
}

/** Tells the form's values for each study of an upload: they are for the study that the form names, else for the first. */
export function formsOf(
  { studies }: Pick<ScanResult, "studies">,
  form: UploadMetadata,
): (study: Pick<ScannedStudy, "studyInstanceUID">) => UploadMetadata {
  const named = studies.find((study) => study.studyInstanceUID === form.studyInstanceUID) ?? studies[0];
  return ({ studyInstanceUID }) => (named?.studyInstanceUID === studyInstanceUID ? form : {});
}

/** The id of a series, the same again when its study is rebuilt. A UUID of version 8 (RFC 9562 §5.8). */
export function seriesIdOf(studyId: string, seriesInstanceUID: string): string {
  const hash = new Bun.CryptoHasher("sha256").update(`${studyId} ${seriesInstanceUID}`).digest("hex");
  const variant = (8 + (Number.parseInt(hash.slice(16, 17), 16) & 3)).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    variant + hash.slice(17, 20),
    hash.slice(20, 32),
  ].join("-");
}

/** The index columns of a study that differ from its instances once an upload is committed. */
export function overridesAfter(
  scanned: ScannedStudy,
  form: UploadMetadata,
  stored: StoredStudy | undefined,
  restored: RestoredStudy | undefined,
): { index: StudyIndex; added: Partial<StudyIndex>; all: Partial<StudyIndex> } {
  if (stored) {
    const index = indexOfRow(stored.study);
    const added = overridesOf(form, index);
    return { index, added, all: { ...overridesOfRow(stored.study), ...added } };
  }
  const index = indexOfInstances(scanned.index, scanned.modalities);
  const all = restored?.overrides ?? overridesOf(form, index);
  return { index, added: all, all };
}

/** A label's overrides of columns that this version has. */
export function knownOverrides(overrides: Readonly<Record<string, string>>): Partial<StudyIndex> {
  const columns = Object.keys(NO_INDEX) as (keyof StudyIndex)[];
  return Object.fromEntries(
    columns.flatMap((column) => (Object.hasOwn(overrides, column) ? [[column, overrides[column]]] : [])),
  );
}

/** The label of a study that an upload touches. */
export function labelOf(
  owner: LabelOwner,
  study: { stored: StoredStudy | undefined; restored: RestoredStudy | undefined },
  overrides: Partial<StudyIndex>,
  now: Date,
): StudyLabel {
  const { accountId, email } = owner;
  const known = study.stored?.study;
  return {
    at: now.toISOString(),
    accountId,
    emailHash: hashEmail(accountId, email),
    studyId: known?.id ?? study.restored?.studyId ?? Bun.randomUUIDv7(),
    createdAt: (known?.createdAt ?? study.restored?.createdAt ?? now).toISOString(),
    overrides: textsIn(overrides),
  };
}
