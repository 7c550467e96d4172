import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { heldByAnotherNode } from "../../http/http.errors.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { StoredObjectRow } from "./studies.table.ts";

/**
 * The store that holds an object's bytes now.
 * @throws {AppError} 503 with Retry-After where they are still staged on another node
 */
export function storeOf(
  deps: Pick<Deps, "store" | "staging" | "node">,
  object: Pick<StoredObjectRow, "location" | "stagedOn">,
): ObjectStore {
  if (object.location === "archive") return deps.store;
  if (object.stagedOn === deps.node.id) return deps.staging;
  throw new AppError(heldByAnotherNode, { retryAfterSeconds: 5 });
}
