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

/** A login that a visitor may go on with, and whose tries theirs count as. */
export interface LoginInReach {
  login: PendingLoginRow;
  triesOf: TriesOf;
}

export interface NewLogin {
  id: string;
  place: Place;
  /** Of {@link hashCode} with the login's id; empty where no code is mailed. */
  codeHash: string;
  codesSent: number;
  /** When the password was right. */
  passwordAt: Date;
}

/** Lets a sign-in whose password was right wait for its second factor; the same browser's former one is dead. */
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
 * The logins that a visitor may go on with: their browser's own, and the newest of their network, for clients
 * that keep no cookie. Asks alike where there is no such account.
 */
export async function findLogins(
  db: DbOrTx,
  user: UserRow | undefined,
  place: Place,
  now: Date,
): Promise<LoginInReach[]> {
  const browserHash = hashSecret(place.browser);
  const { network } = place;
  const near = await listLogins(db, user?.id ?? NOBODY, { browserHash, network }, now);
  const own = near.find((login) => login.browserHash === browserHash);
  const newest = near.find((login) => login.network === network);
  return [
    ...(own ? [{ login: own, triesOf: "browser" } as const] : []),
    ...(newest && newest !== own ? [{ login: newest, triesOf: "network" } as const] : []),
  ];
}

/** Takes a try at each and returns those that had one left. */
export async function takeTries(db: DbOrTx, logins: LoginInReach[]): Promise<LoginInReach[]> {
  const open: LoginInReach[] = [];
  for (const one of logins) if (await takeTry(db, one.login.id, one.triesOf, TRIES_A_CODE)) open.push(one);
  return open;
}

/** The id of no account: what is looked up for one is looked up for none too. */
export const NOBODY = "00000000-0000-0000-0000-000000000000";
