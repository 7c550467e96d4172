import type { Deps } from "../../deps.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { type ExpectedObject, type ObjectOwner, ownerOf } from "../object-owners.ts";
import type { Damage } from "./integrity.ts";
import { noteDamage } from "./note-damage.ts";

type PresenceDeps = Pick<Deps, "db" | "jobs" | "store" | "clock" | "log" | "owners">;

const OBJECTS_AT_ONCE = 1000;
/** The others are taken back by the next check. */
const MAX_TAKEN_BACK = 10_000;

/** An exam that was missing, and how many of its objects are there. */
interface FoundAgain {
  owner: ObjectOwner;
  presentCount: number;
}

/**
 * Asks the archive store for every object that the database says is there, in their size, without reading any: a disk by
 * a stat each, S3 by its listing, a thousand a call. What is absent is asked for once more by itself, marked and told as a
 * failed read is; of exams that were missing and are there again the mark is taken back, and studies are read. Constant
 * memory.
 * @throws {StoreUnavailable} which says nothing of what was not asked for yet
 */
export async function checkPresence(deps: PresenceDeps, signal: AbortSignal): Promise<void> {
  const { db, store, log, owners } = deps;
  const sizeOf = sizesIn(store);
  const foundAgain = new Map<string, FoundAgain>();
  const counts = { objects: 0, absent: 0, takenBack: 0 };
  for await (const object of expectedObjects(deps)) {
    signal.throwIfAborted();
    counts.objects++;
    if ((await sizeOf(object.key)) !== object.sizeBytes) {
      if (await isWrong(deps, object)) counts.absent++;
    } else if (object.integrity === "missing") {
      const exam = foundAgain.get(object.ownerId) ?? { owner: ownerOf(owners, object), presentCount: 0 };
      exam.presentCount++;
      if (foundAgain.size < MAX_TAKEN_BACK) foundAgain.set(object.ownerId, exam);
    }
  }
  for (const [ownerId, { owner, presentCount }] of foundAgain) {
    signal.throwIfAborted();
    if (await owner.takeBack(db, ownerId, presentCount)) counts.takenBack++;
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

/** Of all owners, in the order of their keys. */
async function* expectedObjects({ db, owners }: PresenceDeps): AsyncGenerator<ExpectedObject> {
  const [ofStudies, ofLabs] = [objectsOf(db, owners.studies), objectsOf(db, owners.labExams)];
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

async function* objectsOf(db: Deps["db"], owner: ObjectOwner): AsyncGenerator<ExpectedObject, void> {
  let last: ExpectedObject | undefined;
  do {
    const page = await owner.listExpected(db, last, OBJECTS_AT_ONCE);
    yield* page;
    last = page.at(-1);
  } while (last !== undefined);
}
