import type { DbOrTx, Tx } from "../../../db/client.ts";
import { hashSecret } from "../mailed-links/secrets.ts";
import type { UserRow } from "../users/users.table.ts";
import type { Place } from "./known-places.ts";
import {
  insertLogin,
  listLogins,
  makeRoomForLogin,
  type PendingLoginRow,
  type TriesOf,
  takeTry,
} from "./pending-logins.repo.ts";

const LIFE_MS = 10 * 60_000;
const LOGINS_A_NETWORK = 10;
const TRIES_A_CODE = 5;

/** A login that a visitor may continue, and whose attempts theirs count as. */
export interface LoginInReach {
  login: PendingLoginRow;
  triesOf: TriesOf;
}

export interface NewLogin {
  id: string;
  place: Place;
  /** The `hashCode` of the code and the login's id; empty if no code is mailed. */
  codeHash: string;
  codesSent: number;
  /** When the password was verified. */
  passwordAt: Date;
}

/** Stores a sign-in that waits for its second factor after a correct password. It ends a former one of the same browser. */
export async function openLogin(tx: Tx, user: UserRow, login: NewLogin, now: Date): Promise<void> {
  const { id, place, codeHash, codesSent, passwordAt } = login;
  const where = { browserHash: hashSecret(place.browser), network: place.network };
  await makeRoomForLogin(tx, user.id, where, LOGINS_A_NETWORK);
  const expiresAt = new Date(now.getTime() + LIFE_MS);
  await insertLogin(tx, {
    id,
    userId: user.id,
    ...where,
    codeHash,
    codesSent,
    createdAt: passwordAt,
    expiresAt,
  });
}

/**
 * The logins that a visitor may continue: their browser's own, and the newest of their network for clients that keep no
 * cookie. Runs the same query if the account does not exist.
 */
export async function findLogins(
  db: DbOrTx,
  user: UserRow | undefined,
  place: Place,
  now: Date,
): Promise<LoginInReach[]> {
  const browserHash = hashSecret(place.browser);
  const { network } = place;
  const logins = await listLogins(db, user?.id ?? UNKNOWN_USER_ID, { browserHash, network }, now);
  const own = logins.find((login) => login.browserHash === browserHash);
  const newest = logins.find((login) => login.network === network);
  return [
    ...(own ? [{ login: own, triesOf: "browser" } as const] : []),
    ...(newest && newest !== own ? [{ login: newest, triesOf: "network" } as const] : []),
  ];
}

/** Counts one attempt at each login and returns those that had one left. */
export async function takeTries(db: DbOrTx, logins: LoginInReach[]): Promise<LoginInReach[]> {
  const open: LoginInReach[] = [];
  for (const one of logins) if (await takeTry(db, one.login.id, one.triesOf, TRIES_A_CODE)) open.push(one);
  return open;
}

/** An id that no account has, so that a lookup for an unknown account takes the same time. */
export const UNKNOWN_USER_ID = "00000000-0000-0000-0000-000000000000";
