import type { DbOrTx } from "../../../db/client.ts";
import { type Grantors, readGrantors } from "../grantors.repo.ts";
import type { Caller } from "../studies.repo.ts";

const MAX_KEPT = 1_000;
/** Ids that are kept for all users. */
const MAX_KEPT_IDS = 100_000;

/** Grantors by user. The oldest are forgotten. */
class KnownGrantors {
  readonly #byUser = new Map<string, Grantors>();
  #ids = 0;

  get(userId: string, revision: string): Grantors | undefined {
    const known = this.#byUser.get(userId);
    return known?.revision === revision ? known : undefined;
  }

  set(userId: string, grantors: Grantors): void {
    this.#forget(userId);
    this.#byUser.set(userId, grantors);
    this.#ids += grantors.accountIds.length;
    for (const oldest of this.#byUser.keys()) {
      if (this.#byUser.size <= MAX_KEPT && this.#ids <= MAX_KEPT_IDS) return;
      this.#forget(oldest);
    }
  }

  #forget(userId: string): void {
    this.#ids -= this.#byUser.get(userId)?.accountIds.length ?? 0;
    this.#byUser.delete(userId);
  }
}

const known = new WeakMap<DbOrTx, KnownGrantors>();

/**
 * So many accounts are parts of their own in lists and searches, which indexes sort. What all further ones granted is one part, which
 * is fetched and then sorted.
 */
export const MAX_GRANTOR_PARTS = 16;

/** Who granted studies to a caller; read again only after their grants changed from `revision`. */
export async function grantorsOf(db: DbOrTx, caller: Caller, revision: string): Promise<Grantors> {
  const ofDb = known.get(db) ?? new KnownGrantors();
  known.set(db, ofDb);
  const kept = ofDb.get(caller.userId, revision);
  if (kept) return kept;
  const grantors = await readGrantors(db, caller);
  ofDb.set(caller.userId, grantors);
  return grantors;
}
