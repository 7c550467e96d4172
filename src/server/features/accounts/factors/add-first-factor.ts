import type { Tx } from "../../../db/client.ts";
import { forgetDevices } from "../sign-in/trusted-devices.repo.ts";
import { findSignInMethods, replaceRecoveryCodes } from "./factors.repo.ts";
import { hashRecoveryCode, newRecoveryCodes } from "./recovery-codes.ts";

/**
 * Before a factor is added, under the user's lock: where it is the account's first, makes recovery codes and forgets
 * the remembered devices, which have proven no more than the mailbox. Answers the codes, or null where it is not.
 */
export async function addFirstFactor(tx: Tx, userId: string, now: Date): Promise<string[] | null> {
  if ((await findSignInMethods(tx, userId)).length > 0) return null;
  await forgetDevices(tx, userId);
  return await makeRecoveryCodes(tx, userId, now);
}

/** Ten new codes; the former ones are dead. */
export async function makeRecoveryCodes(tx: Tx, userId: string, now: Date): Promise<string[]> {
  const codes = newRecoveryCodes();
  const codeHashes = codes.map((code) => hashRecoveryCode(code, userId));
  await replaceRecoveryCodes(tx, { userId, codeHashes, at: now });
  return codes;
}
