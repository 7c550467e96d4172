import { DAY_MS } from "../../../../shared/units.ts";
import type { DbOrTx, Tx } from "../../../db/client.ts";
import { hashSecret } from "../mailed-links/secrets.ts";
import { deleteOldPlaces, findKnownKinds, upsertPlace } from "./known-places.repo.ts";
import type { Visitor } from "./visitor.ts";

/** Per kind. A user with more places becomes a stranger at the place they used longest ago. */
const PLACES_AN_ACCOUNT = 20;
const KEPT_MS = 180 * DAY_MS;

/**
 * How an account knows the place of a request: its owner signed in with this browser, or only from this network (`network`),
 * or never (`stranger`). Strangers share a limit; the others have limits of their own.
 */
export type Standing = "browser" | "network" | "stranger";

/** The browser's secret and the network. */
export type Place = Pick<Visitor, "browser" | "network">;

/** Runs the same query for an e-mail that has no account. */
export async function standingOf(db: DbOrTx, email: string, place: Place): Promise<Standing> {
  const kinds = await findKnownKinds(db, email, keysOf(place));
  if (kinds.includes("browser")) return "browser";
  return kinds.includes("network") ? "network" : "stranger";
}

/** Records that the user has proven their identity at this place. */
export async function rememberPlace(tx: Tx, userId: string, place: Place, now: Date): Promise<void> {
  const keys = keysOf(place);
  for (const kind of ["browser", "network"] as const)
    await upsertPlace(tx, { userId, kind, key: keys[kind], signedInAt: now }, PLACES_AN_ACCOUNT);
}

export async function forgetOldPlaces(db: DbOrTx, now: Date): Promise<void> {
  await deleteOldPlaces(db, new Date(now.getTime() - KEPT_MS));
}

function keysOf({ browser, network }: Place) {
  return { browser: hashSecret(browser), network: hashSecret(network) };
}
