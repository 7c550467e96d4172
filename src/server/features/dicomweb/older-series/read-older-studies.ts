import { setTimeout } from "node:timers/promises";
import { foldedGroups, foldName } from "../../../../shared/dicom/folded-name.ts";
import { indexAttributes } from "../../../../shared/dicom/reading/index-attributes.ts";
import type { DicomJson } from "../../../../shared/dicom/reading/instance.ts";
import { keptAttributes, patientNameInGroups } from "../../../../shared/dicom/reading/kept-attributes.ts";
import { TagHex } from "../../../../shared/dicom/tags.ts";
import { withoutBidiControls } from "../../../../shared/rules/without-bidi-controls.ts";
import type { Deps } from "../../../deps.ts";
import { describeError } from "../../../runtime/log.ts";
import { StoreUnavailable } from "../../../storage/object-store.ts";
import {
  keepNameGroups,
  keepStudyTime,
  listUnreadStudies,
  noteReadStudies,
  noteUnreadableStudies,
  type UnreadStudy,
} from "../../studies/study-attributes.repo.ts";
import { readFirstMetadata } from "./first-metadata.ts";
import { PAUSE_MS, readInPages } from "./read-in-pages.ts";

/** Images may disagree about the study; so many of its series are asked for what it is listed under. */
const SERIES_A_STUDY = 4;

type ReadDeps = Pick<Deps, "db" | "series" | "log">;

/**
 * Reads what an older release left out of the studies that it stored, from the metadata of the first instance of a series: of the
 * patient's name it kept one group, of the study's time no fraction of a second. Each study is read once. One that can't be read is
 * tried again by later runs from the start, five times in all. What the upload form said stays.
 * @returns where the next run begins; `undefined` after the last study
 * @throws {StoreUnavailable}
 */
export async function readOlderStudies(
  deps: ReadDeps,
  afterId: string | null,
  signal: AbortSignal,
): Promise<string | undefined> {
  const counts = { read: 0, inGroups: 0, withFraction: 0, failed: 0 };
  const next = await readInPages(afterId, {
    list: (after, limit) => listUnreadStudies(deps.db, after, { limit, manifestsEach: SERIES_A_STUDY }),
    idOf: ({ id }) => id,
    read: (page) => readPage(deps, page, counts, signal),
  });
  if (counts.read + counts.failed > 0) deps.log.info("studies.read", { ...counts });
  return next;
}

interface Counts {
  read: number;
  inGroups: number;
  withFraction: number;
  failed: number;
}

async function readPage(
  deps: ReadDeps,
  page: readonly UnreadStudy[],
  counts: Counts,
  signal: AbortSignal,
): Promise<void> {
  const read: string[] = [];
  const unreadable: string[] = [];
  try {
    for (const study of page) {
      if (study.manifests.length === 0) continue;
      await setTimeout(PAUSE_MS, undefined, { signal });
      const found = await findMetadata(deps, study);
      await keepName(deps, study, found.ofName, counts);
      await keepTime(deps, study, found.ofTime, counts);
      (found.isUnreadable ? unreadable : read).push(study.id);
    }
  } finally {
    // What was read before the run had to end is not read again.
    await noteReadStudies(deps.db, read);
    await noteUnreadableStudies(deps.db, unreadable);
    counts.read += read.length;
    counts.failed += unreadable.length;
  }
}

async function keepName(
  { db }: ReadDeps,
  { id }: UnreadStudy,
  metadata: DicomJson | undefined,
  counts: Counts,
): Promise<void> {
  const name = metadata && patientNameInGroups(metadata);
  if (!name) return;
  const attributes = {
    name: { [TagHex.PatientName]: name },
    others: keptAttributes(metadata).study ?? {},
  };
  await keepNameGroups(db, id, { attributes, groups: foldedGroups(name) });
  counts.inGroups++;
}

async function keepTime(
  { db }: ReadDeps,
  { id }: UnreadStudy,
  metadata: DicomJson | undefined,
  counts: Counts,
): Promise<void> {
  const others = (metadata && keptAttributes(metadata).study) ?? {};
  const time = others[TagHex.StudyTime];
  if (!time) return;
  await keepStudyTime(db, id, { time, others });
  counts.withFraction++;
}

/** Metadata of instances that have the name or the time of the study, as far as these are unread. */
interface FoundMetadata {
  ofName?: DicomJson;
  ofTime?: DicomJson;
  /** Whether what is not found may be in a series that could not be read. */
  isUnreadable: boolean;
}

async function findMetadata(deps: ReadDeps, study: UnreadStudy): Promise<FoundMetadata> {
  const { patientName, studyTime } = { ...study, ...study.instanceValues };
  const found: FoundMetadata = { isUnreadable: false };
  const lacksName = () => study.isNameUnread && !found.ofName;
  const lacksTime = () => study.isTimeUnread && !found.ofTime;
  let hasFailed = false;
  for (const manifest of study.manifests) {
    if (!lacksName() && !lacksTime()) break;
    try {
      const metadata = await readFirstMetadata(deps, manifest);
      if (!metadata) continue;
      const says = indexAttributes(metadata);
      if (lacksName() && isSameName(says.patientName, patientName)) found.ofName = metadata;
      if (lacksTime() && says.studyTime === studyTime) found.ofTime = metadata;
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      hasFailed = true;
      deps.log.warn("study.failed", { studyId: study.id, ...describeError(error) });
    }
  }
  return { ...found, isUnreadable: hasFailed && (lacksName() || lacksTime()) };
}

/** An older release kept characters that are taken out now. */
function isSameName(one: string | null, other: string | null): boolean {
  const [first, second] = [one, other].map((name) => foldName(withoutBidiControls(name ?? "")));
  return first === second;
}
