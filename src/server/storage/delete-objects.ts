import { forEachAtOnce } from "../runtime/for-each-at-once.ts";
import type { ObjectStore } from "./object-store.ts";

/** A remote store takes some accesses for each object, which mostly wait. */
const DELETED_AT_ONCE = 8;

/** Deletes objects, a few at once. After a failure, some of the others are deleted too; call it again. */
export async function deleteObjects(
  store: Pick<ObjectStore, "delete">,
  keys: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  await forEachAtOnce(keys, DELETED_AT_ONCE, (key) => store.delete(key));
}
