import type { Tx } from "../../../db/client.ts";
import { forgetDevices } from "../sign-in/trusted-devices.repo.ts";
import { findSignInMethods, replaceRecoveryCodes } from "./factors.repo.ts";
import { hashRecoveryCode, newRecoveryCodes } from "./recovery-codes.ts";

/**
 * Call before a factor is added, with the user locked. If it is the account's first factor, creates recovery codes and
 * forgets the remembered devices, which have proven access to the mailbox only. Returns the codes, or null if the account has
 * a factor already.
 */
export async function addFirstFactor(tx: Tx, userId: string, now: Date): Promise<string[] | null> {
  if ((await findSignInMethods(tx, userId)).length > 0) return null;
  await forgetDevices(tx, userId);
  return await makeRecoveryCodes(tx, userId, now);
}

/** Creates ten codes and deletes the former ones. */
export async function makeRecoveryCodes(tx: Tx, userId: string, now: Date): Promise<string[]> {
  const codes = newRecoveryCodes();
  const codeHashes = codes.map((code) => hashRecoveryCode(code, userId));
  await replaceRecoveryCodes(tx, { userId, codeHashes, at: now });
  return codes;
}
