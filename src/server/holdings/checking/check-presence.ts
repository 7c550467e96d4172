import type { Deps } from "../../deps.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { type ExpectedObject, type ObjectOwner, ownerOf } from "../object-owners.ts";
import type { Damage } from "./integrity.ts";
import { noteDamage } from "./note-damage.ts";

type PresenceDeps = Pick<Deps, "db" | "jobs" | "node" | "store" | "clock" | "log" | "owners">;

const OBJECTS_AT_ONCE = 1000;
/** The most marks that one check takes back; the next check takes back the rest. */
const MAX_TAKEN_BACK = 10_000;

/** An exam marked as missing, and how many of its objects are present. */
interface FoundAgain {
  owner: ObjectOwner;
  presentCount: number;
}

/**
 * Checks that the archive store has every object that the database expects there, in its size, without reading any: on a disk by
 * one stat each, on S3 by listing a thousand at a call. An absent object is looked up once more by itself, then marked and reported
 * like a failed read. Exams marked as missing whose objects are present again lose the mark, and studies among them are read. Takes
 * constant memory.
 * @throws {StoreUnavailable} which does not mean that the remaining objects are missing
 */
export async function checkPresence(deps: PresenceDeps, signal: AbortSignal): Promise<void> {
  const { db, store, clock, log, owners } = deps;
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
    if (await owner.takeBack(db, ownerId, presentCount, clock.now())) counts.takenBack++;
  }
  log.info("integrity.presence", counts);
}

/** Returns a function from key to size; call it with keys in their order. */
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
 * Looks the object up once more, since it may have been added after the listing passed its place, and records what it finds. A
 * deletion removes the row before the bytes, so an object with a row and no bytes is missing.
 */
async function isWrong(deps: PresenceDeps, object: ExpectedObject): Promise<boolean> {
  const { store } = deps;
  // A disk that is not mounted has no objects, which does not mean that they are missing.
  await store.check();
  const kept = await store.stat(object.key);
  if (kept?.sizeBytes === object.sizeBytes) return false;
  const found: Damage = kept ? "damaged" : "missing";
  return await noteDamage(deps, object, found);
}

/** The objects of all owners, in the order of their keys. */
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
