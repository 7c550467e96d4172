import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { heldByAnotherNode } from "../../http/http.errors.ts";
import {
  type ByteRange,
  ObjectNotFound,
  type ObjectStore,
  StoreSilent,
  StoreUnavailable,
} from "../../storage/object-store.ts";
import type { Damage } from "../checking/integrity.ts";
import type { KeptObject } from "../objects/kept-object.ts";

export type StoreDeps = Pick<Deps, "store" | "staging" | "node" | "cache">;

type Located = Pick<KeptObject, "key" | "location" | "stagedOn">;

/** The bytes of an object differ from what was stored. */
export class ObjectChanged extends Error {
  override name = "ObjectChanged";
}

/** @throws {AppError} 503 with Retry-After if the bytes are still staged on another node */
function storeOf(deps: StoreDeps, object: Located): ObjectStore {
  if (object.location === "archive") return deps.store;
  if (object.stagedOn === deps.node.id) return deps.staging;
  throw new AppError(heldByAnotherNode, { retryAfterSeconds: 5 });
}

/** Reads a range as it is stored, unchecked. */
export async function readStored(deps: StoreDeps, object: Located, range: ByteRange): Promise<Uint8Array> {
  return await fromStore(deps, object, (store) => store.read(object.key, range));
}

/** As {@link readStored}, but returns a body. */
export async function openStored(
  deps: StoreDeps,
  object: Located,
  range: ByteRange,
): Promise<Blob | ReadableStream<Uint8Array>> {
  return await fromStore(deps, object, (store) => store.open(object.key, range));
}

/** Reads an object, from the archive if it was moved there after its row was read: its key is the same. */
export async function fromStore<Result>(
  deps: StoreDeps,
  object: Located,
  read: (store: ObjectStore) => Promise<Result>,
): Promise<Result> {
  const store = storeOf(deps, object);
  try {
    return await read(store);
  } catch (error) {
    if (store === deps.store || !(error instanceof ObjectNotFound)) throw error;
    return await read(deps.store);
  }
}

/** The damage that a failed read proves; undefined if it proves none. */
export async function damageOf(
  deps: StoreDeps,
  object: KeptObject,
  error: unknown,
): Promise<Damage | undefined> {
  if (error instanceof ObjectChanged) return "damaged";
  if (error instanceof ObjectNotFound) return "missing";
  if (!(error instanceof StoreUnavailable) || error instanceof StoreSilent || error.isRetryable)
    return undefined;
  // A truncated object lacks the range; an unreachable store proves nothing about its objects.
  const kept = await storeOf(deps, object)
    .stat(object.key)
    .catch(() => ({ sizeBytes: object.sizeBytes }));
  if (!kept) return "missing";
  return kept.sizeBytes === object.sizeBytes ? undefined : "damaged";
}
