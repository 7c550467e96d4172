import type { Deps } from "../../deps.ts";
import { clearLabMark, listLabExamsByKey } from "../../features/labs/labs.repo.ts";
import {
  type ArchivedObject,
  type Damage,
  listArchivedObjects,
  takeBackMissing,
} from "../../features/studies/integrity.repo.ts";
import type { Integrity } from "../../features/studies/studies.table.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { checkStudyQueue } from "../holding-jobs.ts";
import { listStoredObjects, lockStudies } from "../objects/stored-objects.repo.ts";
import { type KeptObject, noteDamage } from "./note-damage.ts";

type PresenceDeps = Pick<Deps, "db" | "jobs" | "store" | "clock" | "log">;

/** What the archive store has to hold, and what is noted of the study or lab exam it belongs to. */
interface ExpectedObject extends Pick<KeptObject, "id" | "kind" | "key" | "sizeBytes"> {
  integrity: Integrity;
  /** Null: a laboratory PDF. */
  studyId: string | null;
}

const OBJECTS_AT_ONCE = 1000;
/** The others are taken back by the next check. */
const MAX_STUDIES_TAKEN_BACK = 10_000;

/**
 * Asks the archive store for every object that the database says is there, in their size, without reading any: a disk by
 * a stat each, S3 by its listing, a thousand a call. What is absent is asked for once more by itself, marked and told as a
 * failed read is; of studies and lab exams that were missing and are there again the mark is taken back, and the
 * studies are read. Constant memory.
 * @throws {StoreUnavailable} which says nothing of what was not asked for yet
 */
export async function checkPresence(deps: PresenceDeps, signal: AbortSignal): Promise<void> {
  const { db, store, log } = deps;
  const sizeOf = sizesIn(store);
  const presentOfMissing = new Map<string, number>();
  const counts = { objects: 0, absent: 0, takenBack: 0 };
  for await (const object of expectedObjects(db)) {
    signal.throwIfAborted();
    counts.objects++;
    if ((await sizeOf(object.key)) !== object.sizeBytes) {
      if (await isWrong(deps, object)) counts.absent++;
    } else if (object.integrity === "missing") {
      const { studyId } = object;
      if (studyId === null) await clearLabMark(db, object.id, "unchecked");
      else if (presentOfMissing.has(studyId) || presentOfMissing.size < MAX_STUDIES_TAKEN_BACK)
        presentOfMissing.set(studyId, (presentOfMissing.get(studyId) ?? 0) + 1);
    }
  }
  for (const [studyId, presentCount] of presentOfMissing) {
    signal.throwIfAborted();
    if (await takeBack(deps, studyId, presentCount)) counts.takenBack++;
  }
  log.info("integrity.presence", counts);
}

/** The size under a key; keys are asked for in their order. */
function sizesIn(store: ObjectStore): (key: string) => Promise<number | undefined> {
  if (store.kind === "disk") return async (key) => (await store.stat(key))?.sizeBytes;
  const listed = store.list("")[Symbol.asyncIterator]();
  let next: IteratorResult<{ key: string; sizeBytes: number }, unknown> | undefined;
  return async (key) => {
    while (!next || (!next.done && next.value.key < key)) next = await listed.next();
    return !next.done && next.value.key === key ? next.value.sizeBytes : undefined;
  };
}

/**
 * Looks once more, since the object may have come after its place in the listing, and notes what it finds. A deleted
 * object loses its row before its bytes: what has a row after them is missing.
 */
async function isWrong(deps: PresenceDeps, object: ExpectedObject): Promise<boolean> {
  const { store } = deps;
  // A disk that is not mounted has no objects; that says nothing of them.
  await store.check();
  const kept = await store.stat(object.key);
  if (kept?.sizeBytes === object.sizeBytes) return false;
  const found: Damage = kept ? "damaged" : "missing";
  return await noteDamage(deps, object, found);
}

/** Where all of a study's objects are there, none of them staged: whether their bytes are right, reading them tells. */
async function takeBack(
  { db, jobs }: Pick<Deps, "db" | "jobs">,
  studyId: string,
  presentCount: number,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    await lockStudies(tx, [studyId]);
    const objects = await listStoredObjects(tx, studyId);
    if (objects.length !== presentCount || objects.some(({ location }) => location !== "archive"))
      return false;
    if (!(await takeBackMissing(tx, studyId))) return false;
    await jobs.enqueue(checkStudyQueue, { studyId }, { tx, singletonKey: studyId });
    return true;
  });
}

/** Of studies and lab exams, in the order of their keys. */
async function* expectedObjects(db: Deps["db"]): AsyncGenerator<ExpectedObject> {
  const ofStudies = paged<ArchivedObject>((after) => listArchivedObjects(db, after, OBJECTS_AT_ONCE));
  const ofLabs = paged<ExpectedObject>(async (after) =>
    (await listLabExamsByKey(db, after?.key ?? "", OBJECTS_AT_ONCE)).map(
      ({ id, key, sizeBytes, integrity }) => {
        return { id, kind: "lab", key, sizeBytes, integrity, studyId: null };
      },
    ),
  );
  let [study, lab] = [await ofStudies.next(), await ofLabs.next()];
  while (!study.done || !lab.done) {
    if (!study.done && (lab.done || study.value.key < lab.value.key)) {
      yield study.value;
      study = await ofStudies.next();
    } else if (!lab.done) {
      yield lab.value;
      lab = await ofLabs.next();
    }
  }
}

async function* paged<Row>(pageAfter: (last: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row, void> {
  let last: Row | undefined;
  do {
    const rows = await pageAfter(last);
    yield* rows;
    last = rows.at(-1);
  } while (last !== undefined);
}
