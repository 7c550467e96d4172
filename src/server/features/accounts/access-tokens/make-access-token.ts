import {
  ACCESS_TOKEN_PREFIX,
  type AccessToken,
  type MadeAccessToken,
  type NewAccessToken,
} from "../../../../shared/api/access-tokens.ts";
import type { Locale } from "../../../../shared/locale.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { validationFailed } from "../../../http/http.errors.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import type { Session } from "../../../http/session.ts";
import { violationsOf } from "../../../http/validate.ts";
import { recordAudit } from "../../audit/audit.repo.ts";
import { hashSecret, newSecret } from "../mailed-links/secrets.ts";
import { lockSession } from "../sessions/lock-session.ts";
import { tooManyAccessTokens } from "./access-tokens.errors.ts";
import { countAccessTokens, insertAccessToken } from "./access-tokens.repo.ts";
import type { AccessTokenRow } from "./access-tokens.table.ts";

const MAX_TOKENS = 50;

/**
 * Makes a token with which a program acts for the caller. Only its hash is kept.
 * @throws {AppError} 400 for a time that is over, `token.too_many`
 */
export async function makeAccessToken(
  { db, clock }: Pick<Deps, "db" | "clock">,
  session: Session,
  { locale, ...wanted }: NewAccessToken & { locale: Locale },
  origin: RequestOrigin,
): Promise<MadeAccessToken> {
  const { userId } = session;
  const now = clock.now();
  const expiresAt = wanted.expiresAt ? new Date(wanted.expiresAt) : null;
  if (expiresAt && expiresAt <= now) {
    const issues = [{ path: ["expiresAt"], message: "validation.invalid" }];
    throw new AppError(validationFailed, { violations: violationsOf({ issues }, locale) });
  }
  const token = `${ACCESS_TOKEN_PREFIX}${newSecret()}`;
  const row: AccessTokenRow = {
    id: Bun.randomUUIDv7(),
    userId,
    name: wanted.name,
    tokenHash: hashSecret(token),
    scopes: [...new Set(wanted.scopes)],
    createdAt: now,
    expiresAt,
    lastUsedAt: null,
  };
  await db.transaction(async (tx) => {
    // With the lock, two calls at once cannot both make the last token.
    await lockSession(tx, session);
    if ((await countAccessTokens(tx, userId)) >= MAX_TOKENS) throw new AppError(tooManyAccessTokens);
    await insertAccessToken(tx, row);
    const { id: tokenId, name, scopes } = row;
    const details = { tokenId, name, scopes, expiresAt };
    await recordAudit(tx, {
      at: now,
      action: "token.made",
      actorId: userId,
      accountId: userId,
      details,
      ...origin,
    });
  });
  return { ...presentAccessToken(row), token };
}

export function presentAccessToken({ id, name, scopes, ...row }: AccessTokenRow): AccessToken {
  return {
    id,
    name,
    scopes,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  };
}
