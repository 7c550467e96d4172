import { PieceSummer } from "../../archive/piece-sums.ts";
import { AppError } from "../../http/app-error.ts";
import { heldByAnotherNode } from "../../http/http.errors.ts";
import { ownerOf } from "../object-owners.ts";
import { type ObjectSources, type ReadOptions, readToEnd, type SoughtObject } from "../object-sources.ts";
import type { KeptObject } from "../objects/kept-object.ts";
import type { ObjectDeps } from "../reading/open-object.ts";
import type { StoreDeps } from "../reading/stored-bytes.ts";
import { closeFindings, findOpenFinding } from "./findings.repo.ts";
import type { Damage } from "./integrity.ts";
import { noteDamage } from "./note-damage.ts";
import { saveObjectSums } from "./object-sums.repo.ts";

export interface CheckOptions {
  signal?: AbortSignal | undefined;
  /** Called after each part that was read, such as to wait. */
  pause?: ((readBytes: number) => Promise<void>) | undefined;
}

/**
 * Reads a whole object from where it is kept, never from a local copy of the store. What is newly wrong is read a second time, since
 * a store may answer wrong for a moment. Damage is then recorded, and the admin is notified; right bytes close the object's finding, and
 * give a volume of an older release its sums.
 * @throws {AppError} 503 if only another node has the bytes
 * @throws {StoreUnavailable} which does not mean that the object is damaged
 */
export async function checkObject(
  deps: ObjectDeps,
  object: KeptObject,
  { signal = new AbortController().signal, pause }: CheckOptions = {},
): Promise<Damage | undefined> {
  const { db, clock, log, owners } = deps;
  const sources = sourcesOf(deps);
  let pieces = new PieceSummer();
  const options: ReadOptions = {
    sources,
    signal,
    lookAgain: async () => {
      const now = await ownerOf(owners, object).findObject(db, object.id);
      return now && soughtOf(now);
    },
    begin() {
      pieces = new PieceSummer();
    },
    async take(chunk) {
      pieces.update(chunk);
      await pause?.(chunk.length);
    },
  };
  let found = await readToEnd(soughtOf(object), options);
  // What is known to be wrong is not called right because one of two reads was.
  if ((found === "changed" || found === "missing") && !(await findOpenFinding(db, object.id))) {
    const first = found;
    found = await readToEnd(soughtOf(object), options);
    if (found === "right")
      log.warn("archive.misread", { found: first, kind: object.kind, object: object.id });
  }
  if (found === "gone") return undefined;
  if (found === "elsewhere") throw new AppError(heldByAnotherNode, { retryAfterSeconds: 5 });
  if (found === "right") {
    if (object.kind === "volume") await saveObjectSums(db, object.id, pieces.digest());
    await closeFindings(db, [object.id], "reread", clock.now());
    return undefined;
  }
  // A disk that is not mounted has no objects, which does not mean that they are missing.
  if (found === "missing") await sources.store.check();
  const damage = found === "changed" ? "damaged" : "missing";
  return (await noteDamage(deps, object, damage)) ? damage : undefined;
}

/** Where this server finds bytes; stores are read through their own checks of paths. */
export function sourcesOf({ store, cache, node }: StoreDeps): ObjectSources {
  return {
    store: cache?.origin ?? store,
    storedPath: undefined,
    nodeId: node.id,
    stagedPath: node.stagedPath,
  };
}

export function soughtOf({ key, sizeBytes, sha256, location, stagedOn }: KeptObject): SoughtObject {
  return { key, sizeBytes, sha256, stagedOn: location === "staging" ? stagedOn : null };
}
