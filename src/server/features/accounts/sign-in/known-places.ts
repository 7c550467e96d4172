import type { DbOrTx, Tx } from "../../../db/client.ts";
import { hashSecret } from "../mailed-links/secrets.ts";
import type { Visitor } from "./browser-cookie.ts";
import { deleteOldPlaces, findKnownKinds, upsertPlace } from "./known-places.repo.ts";

/** Of each kind; whoever signs in from more is a stranger again where they have not been for longest. */
const PLACES_AN_ACCOUNT = 20;
const KEPT_MS = 180 * 24 * 3600_000;

/**
 * What an account has to do with where somebody asks from: its person signed in with this browser, or only from
 * this network, or never. A `stranger` waits where strangers have gone too far; the others have limits of their own.
 */
export type Standing = "browser" | "network" | "stranger";

/** What is told apart: the browser's secret and the network. */
export type Place = Pick<Visitor, "browser" | "network">;

/** Asks alike for an e-mail that no account has. */
export async function standingOf(db: DbOrTx, email: string, place: Place): Promise<Standing> {
  const kinds = await findKnownKinds(db, email, keysOf(place));
  if (kinds.includes("browser")) return "browser";
  return kinds.includes("network") ? "network" : "stranger";
}

/** Somebody has proven here who they are. */
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
