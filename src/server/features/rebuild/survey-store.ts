import { isUuid } from "../../../shared/uuid.ts";
import { ManifestError } from "../../archive/manifest.errors.ts";
import type { SeriesManifest } from "../../archive/manifest.ts";
import { decodeIndexSection, MANIFEST_HEADER_BYTES, manifestLayout } from "../../archive/manifest-codec.ts";
import type { ReportLabel, StudyLabel } from "../../archive/study-label.ts";
import { uploadOfKey } from "../../holdings/objects/upload-of-key.ts";
import type { ObjectStore } from "../../storage/object-store.ts";

/** A volume in the store, whatever the database knows of it. */
export interface FoundVolume {
  id: string;
  key: string;
  uploadId: string;
  sizeBytes: number;
}

/** A study as its manifests say. */
export interface LabelledStudy {
  studyInstanceUID: string;
  /** The newest of its labels. */
  label: StudyLabel;
  /** The newest report that a label names. It may have been deleted since. */
  report: { label: ReportLabel; at: string } | undefined;
}

/** A manifest, with the volumes that it names. */
export interface FoundManifest {
  key: string;
  volumeIds: string[];
}

/** Everything in a store that studies can be rebuilt from. */
export interface Survey {
  /** By key, and so by the time at which their uploads began. */
  volumes: FoundVolume[];
  /** The study of each volume that a labelled manifest names, by the volume's id. */
  studies: Map<string, LabelledStudy>;
  /** All studies that labels name, once for each account. */
  labelled: LabelledStudy[];
  /** The newest label of each account. */
  owners: Map<string, StudyLabel>;
  manifests: FoundManifest[];
  /** PDFs: laudos and laboratory results. */
  documents: string[];
}

export interface SurveyOptions {
  signal: AbortSignal;
  onProgress?: (objects: number) => void;
}

/** Reads the labels of all manifests in a store. An unreadable manifest says nothing, and its volumes still hold the instances. */
export async function surveyStore(
  store: ObjectStore,
  { signal, onProgress }: SurveyOptions,
): Promise<Survey> {
  const survey: Survey = {
    volumes: [],
    manifests: [],
    documents: [],
    labelled: [],
    studies: new Map(),
    owners: new Map(),
  };
  const byName = new Map<string, LabelledStudy>();
  let objects = 0;
  for await (const { key, sizeBytes } of store.list("")) {
    signal.throwIfAborted();
    onProgress?.(++objects);
    const [, id = "", extension] = /^[^/]+\/([0-9a-f-]+)\.(zip|manifest|pdf)$/.exec(key) ?? [];
    const uploadId = uploadOfKey(key);
    if (!isUuid(id) || !isUuid(uploadId)) continue;
    if (extension === "zip") survey.volumes.push({ id, key, uploadId, sizeBytes });
    else if (extension === "pdf") survey.documents.push(key);
    else learn(survey, byName, key, await readManifest(store, key, sizeBytes));
  }
  // Not spread: a million arguments are more than a stack holds.
  for (const labelled of byName.values()) survey.labelled.push(labelled);
  survey.volumes.sort((a, b) => (a.key < b.key ? -1 : 1));
  return survey;
}

function learn(
  { studies, owners, manifests }: Survey,
  byName: Map<string, LabelledStudy>,
  key: string,
  manifest: SeriesManifest | undefined,
): void {
  if (!manifest) return;
  const { studyInstanceUID, instances, variants = [], label } = manifest;
  const volumeIds = [...new Set([...instances, ...variants].map(({ volumeId }) => volumeId))];
  manifests.push({ key, volumeIds });
  if (!label) return;
  const name = `${label.accountId} ${studyInstanceUID}`;
  const study = byName.get(name) ?? { studyInstanceUID, label, report: undefined };
  byName.set(name, study);
  study.label = newer(study.label, label);
  if (label.report && label.at >= (study.report?.at ?? ""))
    study.report = { label: label.report, at: label.at };
  owners.set(label.accountId, newer(owners.get(label.accountId) ?? label, label));
  for (const id of new Set([...volumeIds, ...(label.volumeIds ?? [])])) {
    // After a rebuild that was interrupted, manifests of two accounts name a volume.
    const other = studies.get(id);
    if (!other || newer(other.label, study.label) === study.label) studies.set(id, study);
  }
}

function newer(one: StudyLabel, other: StudyLabel): StudyLabel {
  return other.at > one.at ? other : one;
}

async function readManifest(
  store: ObjectStore,
  key: string,
  sizeBytes: number,
): Promise<SeriesManifest | undefined> {
  if (sizeBytes < MANIFEST_HEADER_BYTES) return undefined;
  try {
    const header = await store.read(key, { offset: 0, length: MANIFEST_HEADER_BYTES });
    const { index } = manifestLayout(header, sizeBytes);
    return (await decodeIndexSection(await store.read(key, index), index)).manifest;
  } catch (error) {
    if (error instanceof ManifestError) return undefined;
    throw error;
  }
}
