import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { heldByAnotherNode } from "../../http/http.errors.ts";
import { type ByteRange, ObjectNotFound, type ObjectStore } from "../../storage/object-store.ts";
import type { StoredObjectRow } from "./studies.table.ts";

type StoreDeps = Pick<Deps, "store" | "staging" | "node">;
type Located = Pick<StoredObjectRow, "key" | "sizeBytes" | "location" | "stagedOn">;

/**
 * Reads of an object wherever it lies now. One that was moved to the archive since its row was read is read
 * there: its key is the same.
 * @throws {AppError} 503 with Retry-After where its bytes are still staged on another node
 */
export async function readObject(deps: StoreDeps, object: Located, range?: ByteRange): Promise<Uint8Array> {
  const wanted = range ?? { offset: 0, length: object.sizeBytes };
  const store = storeOf(deps, object);
  try {
    return await store.read(object.key, wanted);
  } catch (error) {
    if (store === deps.store || !(error instanceof ObjectNotFound)) throw error;
    return await deps.store.read(object.key, wanted);
  }
}

/** As {@link readObject}, as a body to stream. */
export async function openObject(
  deps: StoreDeps,
  object: Located,
  range: ByteRange,
): Promise<Blob | ReadableStream<Uint8Array>> {
  const store = storeOf(deps, object);
  try {
    return await store.open(object.key, range);
  } catch (error) {
    if (store === deps.store || !(error instanceof ObjectNotFound)) throw error;
    return await deps.store.open(object.key, range);
  }
}

function storeOf(deps: StoreDeps, object: Located): ObjectStore {
  if (object.location === "archive") return deps.store;
  if (object.stagedOn === deps.node.id) return deps.staging;
  throw new AppError(heldByAnotherNode, { retryAfterSeconds: 5 });
}
