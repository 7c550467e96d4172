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
  listUnreadNames,
  noteUnreadableNames,
  noteWholeNames,
  type UnreadName,
} from "../../studies/study-attributes.repo.ts";
import { readFirstMetadata } from "./first-metadata.ts";
import { PAUSE_MS, readInPages } from "./read-in-pages.ts";

/** Images may disagree about the name; so many series of a study are asked for the one that it is listed under. */
const SERIES_A_STUDY = 4;

type NamesDeps = Pick<Deps, "db" | "series" | "log">;

/**
 * Reads the patient's names of studies that an older release stored, which kept one group of them: from the metadata of the first
 * instance of a series. Each study is read once. One that can't be read is tried again by later runs from the start, five times in all.
 * What the upload form said stays.
 * @returns where the next run begins; `undefined` after the last study
 * @throws {StoreUnavailable}
 */
export async function readOlderNames(
  deps: NamesDeps,
  afterId: string | null,
  signal: AbortSignal,
): Promise<string | undefined> {
  const counts = { read: 0, inGroups: 0, failed: 0 };
  const next = await readInPages(afterId, {
    list: (after, limit) => listUnreadNames(deps.db, after, { limit, manifestsEach: SERIES_A_STUDY }),
    idOf: ({ id }) => id,
    read: (page) => readPage(deps, page, counts, signal),
  });
  report(deps, counts);
  return next;
}

interface Counts {
  read: number;
  inGroups: number;
  failed: number;
}

async function readPage(
  deps: NamesDeps,
  page: readonly UnreadName[],
  counts: Counts,
  signal: AbortSignal,
): Promise<void> {
  const whole: string[] = [];
  const unreadable: string[] = [];
  try {
    for (const study of page) {
      if (study.manifests.length === 0) continue;
      await setTimeout(PAUSE_MS, undefined, { signal });
      const metadata = await findMetadata(deps, study);
      if (metadata === "unreadable") {
        unreadable.push(study.id);
        continue;
      }
      const name = metadata && patientNameInGroups(metadata);
      if (!name) {
        whole.push(study.id);
        continue;
      }
      const attributes = {
        name: { [TagHex.PatientName]: name },
        others: keptAttributes(metadata).study ?? {},
      };
      await keepNameGroups(deps.db, study.id, { attributes, groups: foldedGroups(name) });
      counts.inGroups++;
    }
  } finally {
    // What was read before the run had to end is not read again.
    await noteWholeNames(deps.db, whole);
    await noteUnreadableNames(deps.db, unreadable);
    counts.read += whole.length;
    counts.failed += unreadable.length;
  }
}

function report({ log }: Pick<Deps, "log">, counts: Counts): void {
  if (counts.read + counts.inGroups + counts.failed > 0) log.info("names.read", { ...counts });
}

/** The metadata of an instance that has the name of the study; `undefined` if none of those that were read has it. */
async function findMetadata(
  deps: NamesDeps,
  study: UnreadName,
): Promise<DicomJson | "unreadable" | undefined> {
  const { patientName, instanceValues } = study;
  const listed = instanceValues?.patientName !== undefined ? instanceValues.patientName : patientName;
  let hasFailed = false;
  for (const manifest of study.manifests) {
    try {
      const metadata = await readFirstMetadata(deps, manifest);
      if (metadata && isSameName(indexAttributes(metadata).patientName, listed)) return metadata;
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      hasFailed = true;
      deps.log.warn("name.failed", { studyId: study.id, ...describeError(error) });
    }
  }
  return hasFailed ? "unreadable" : undefined;
}

/** An older release kept characters that are taken out now. */
function isSameName(one: string | null, other: string | null): boolean {
  const [first, second] = [one, other].map((name) => foldName(withoutBidiControls(name ?? "")));
  return first === second;
}
