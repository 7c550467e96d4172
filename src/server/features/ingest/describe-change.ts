import { basename } from "node:path";
import type { UploadAnswer, UploadMetadata } from "../../../shared/api/upload.ts";
import { foldedGroups } from "../../../shared/dicom/folded-name.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import type { Deps } from "../../deps.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import type { SeriesRow, WrittenStudyRow } from "../studies/studies.table.ts";
import type { StoredStudy } from "../studies/study-contents.repo.ts";
import type { FinishedUpload } from "./finished-upload.ts";
import { formsOf, overridesAfter, seriesIdOf } from "./label-study.ts";
import { modalityOf, studyColumns } from "./study-index.ts";
import type { BuiltObject, BuiltStudy, BuiltVolume, ScannedStudy } from "./worker/worker-messages.ts";

/** What an upload changes in the database, and the answer to its sender. */
export interface Change {
  newStudies: WrittenStudyRow[];
  /** Studies that existed before: their contents are counted again. */
  grownIds: string[];
  /** Index columns that the form changes, of studies that existed before. */
  reindexed: { studyId: string; columns: ReturnType<typeof studyColumns> & { labelled: false } }[];
  series: SeriesRow[];
  objects: StoredObjectRow[];
  volumes: BuiltVolume[];
  replaced: StoredStudy["series"][number]["manifest"][];
  /** Bytes of `objects` that take the place of damaged ones, though the volume of these is not replaced. */
  healedBytes: number;
  /** Studies whose damage or loss this upload repairs, as far as the plan knew. */
  repairedIds: string[];
  touched: { studyId: string; studyInstanceUID: string }[];
  answers: UploadAnswer["studies"];
}

/** Works out the rows of an upload from the present state of its studies. Pure, except for new ids. */
export function describeChange(
  deps: Pick<Deps, "clock" | "node">,
  finished: FinishedUpload,
  stored: Map<string, StoredStudy>,
): Change {
  const { upload, scan, metadata, built, isArchived } = finished;
  const now = deps.clock.now();
  const change: Change = {
    newStudies: [],
    grownIds: [],
    reindexed: [],
    series: [],
    objects: [],
    volumes: [],
    replaced: [],
    healedBytes: 0,
    repairedIds: [],
    touched: [],
    answers: [],
  };
  const builtByUID = new Map(built.studies.map((study) => [study.studyInstanceUID, study]));
  const labels = new Map(
    finished.plan.build.studies.map(({ studyInstanceUID, label }) => [studyInstanceUID, label]),
  );
  const formFor = formsOf(scan, metadata);
  for (const scanned of scan.studies) {
    const { studyInstanceUID } = scanned;
    const study = builtByUID.get(studyInstanceUID);
    const label = labels.get(studyInstanceUID);
    if (!study || !label) continue;
    const existing = stored.get(studyInstanceUID);
    const studyId = existing?.study.id ?? label.studyId;
    const ofUpload = { studyId, scanned, study, existing, isArchived, now };
    const createdAt = new Date(label.createdAt);
    indexStudy(change, finished, { ...ofUpload, form: formFor(scanned), createdAt });
    addObjects(change, { ...ofUpload, uploadId: upload.id, nodeId: deps.node.id });
    change.touched.push({ studyId, studyInstanceUID });
    change.answers.push({
      id: studyId,
      studyInstanceUID,
      imagesReceived: study.newInstances,
      duplicates: study.duplicates,
      repeats: scanned.duplicates,
    });
  }
  return change;
}

/** One study of an upload: as it was scanned, as it was built, and as it stands. */
interface StudyOfUpload {
  studyId: string;
  scanned: ScannedStudy;
  study: BuiltStudy;
  existing: StoredStudy | undefined;
  isArchived: boolean;
  now: Date;
}

function indexStudy(
  change: Change,
  { upload, stored, receivedFrom }: FinishedUpload,
  input: StudyOfUpload & { form: UploadMetadata; createdAt: Date },
): void {
  const { studyId, scanned, study, existing, form, isArchived, createdAt } = input;
  const { index, added, all } = overridesAfter(scanned, form, existing, stored?.study);
  if (existing) {
    change.grownIds.push(studyId);
    if (Object.keys(added).length > 0)
      change.reindexed.push({ studyId, columns: { ...studyColumns(index, all), labelled: false } });
    return;
  }
  const columns = studyColumns(index, all);
  change.newStudies.push({
    id: studyId,
    accountId: upload.accountId,
    studyInstanceUID: scanned.studyInstanceUID,
    ...columns,
    ...(columns.instanceValues?.modality === undefined && { modality: modalityOf(scanned) }),
    ...countsOf(study),
    attributes: scanned.index.kept?.study ?? {},
    patientNameGroups: foldedGroups(scanned.index.kept?.study?.[TagHex.PatientName]),
    patientNameTries: null,
    studyTimeTries: null,
    storageStatus: isArchived ? "b2" : "local",
    hasReport: false,
    integrity: "unchecked",
    verifiedAt: null,
    createdAt,
    receivedFrom: receivedFrom ?? null,
    removalId: null,
    labelled: true,
  });
}

/** The counts that `refreshStudies` gives a study that consists of this upload only. */
function countsOf({ volume, series }: BuiltStudy) {
  const objects = [...(volume ? [volume] : []), ...series.map(({ manifest }) => manifest)];
  return {
    seriesCount: series.length,
    instanceCount: series.reduce((sum, { instanceCount }) => sum + instanceCount, 0),
    sizeBytes: sumOf(objects),
  };
}

function addObjects(change: Change, input: StudyOfUpload & { uploadId: string; nodeId: string }): void {
  const { studyId, scanned, study, existing, uploadId, nodeId, isArchived, now } = input;
  const addObject = (kind: "volume" | "manifest", object: BuiltObject, createdAt = now): void => {
    const { storedAs } = object;
    change.objects.push({
      id: object.id,
      studyId,
      uploadId: storedAs?.uploadId ?? uploadId,
      kind,
      key: storedAs?.key ?? objectKey(uploadId, object),
      sizeBytes: object.sizeBytes,
      sha256: object.sha256,
      location: isArchived || storedAs ? "archive" : "staging",
      stagedOn: storedAs ? null : nodeId,
      createdAt,
    });
  };
  if (study.repair) {
    const freed = new Set(study.repair.freedVolumes);
    change.replaced.push(...(existing?.volumes ?? []).filter(({ id }) => freed.has(id)));
    if (study.repair.isWhole) change.repairedIds.push(studyId);
  }
  if (study.volume) {
    const bringsNew = study.newInstances > 0 || study.conflicts.length > 0;
    addObject("volume", study.volume, bringsNew ? now : lastCreatedAt(existing?.volumes));
    change.volumes.push(study.volume);
    change.healedBytes += study.healedBytes ?? 0;
  }
  // A study may have very many series.
  const storedSeries = new Map(existing?.series.map((one) => [one.row.seriesInstanceUID, one]));
  const scannedSeries = new Map(scanned.series.map((one) => [one.seriesInstanceUID, one]));
  for (const built of study.series) {
    const { seriesInstanceUID } = built;
    const before = storedSeries.get(seriesInstanceUID);
    const index = scannedSeries.get(seriesInstanceUID)?.index;
    addObject("manifest", built.manifest);
    if (before) change.replaced.push(before.manifest);
    change.series.push({
      id: seriesIdOf(studyId, seriesInstanceUID),
      studyId,
      seriesInstanceUID,
      seriesNumber: index?.seriesNumber ?? null,
      description: index?.seriesDescription ?? null,
      modality: index?.modality ?? null,
      instanceCount: built.instanceCount,
      manifestId: built.manifest.id,
      attributes: index?.kept?.series ?? {},
    });
  }
}

/** What only heals was received with what it replaces, and receipts go by the time of volumes. */
function lastCreatedAt(volumes: readonly StoredObjectRow[] = []): Date | undefined {
  return volumes.map(({ createdAt }) => createdAt).sort((a, b) => b.getTime() - a.getTime())[0];
}

/** The key of an upload's object, in the staging area and in the archive store alike. */
export function objectKey(uploadId: string, object: Pick<BuiltObject, "path">): string {
  return `${uploadId}/${basename(object.path)}`;
}

export const sumOf = (objects: { sizeBytes: number }[]) =>
  objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
