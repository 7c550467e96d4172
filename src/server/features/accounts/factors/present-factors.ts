import type { Factors, Passkey } from "../../../../shared/api/factors.ts";
import type { Deps } from "../../../deps.ts";
import { relyingPartyOf } from "../../../http/relying-party.ts";
import { findPasswordChange } from "../../audit/audit.repo.ts";
import { countRecoveryCodes, findTotp, listPasskeys } from "./factors.repo.ts";
import type { PasskeyRow } from "./factors.table.ts";

/** An account's factors besides its mailbox, and the age of its password: names and dates, never a secret. */
export async function readFactors(
  { db, config }: Pick<Deps, "db" | "config">,
  userId: string,
): Promise<Factors> {
  const [passkeys, totp, recoveryCodesLeft, passwordChange] = await Promise.all([
    listPasskeys(db, userId),
    findTotp(db, userId),
    countRecoveryCodes(db, userId),
    findPasswordChange(db, userId),
  ]);
  return {
    passkeys: passkeys.map(presentPasskey),
    passkeysAvailable: relyingPartyOf(config) !== undefined,
    totp: totp?.confirmedAt
      ? { createdAt: totp.confirmedAt.toISOString(), lastUsedAt: totp.lastUsedAt?.toISOString() ?? null }
      : null,
    recoveryCodesLeft,
    passwordChangedAt: passwordChange?.toISOString() ?? null,
  };
}

export function presentPasskey({ id, name, createdAt, lastUsedAt, isBackedUp }: PasskeyRow): Passkey {
  return {
    id,
    name,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    isBackedUp,
  };
}
