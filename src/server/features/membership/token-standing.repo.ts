import { eq } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { accessTokens } from "../accounts/access-tokens/access-tokens.table.ts";
import { users } from "../accounts/users/users.table.ts";
import { subscriptions } from "../subscriptions/subscriptions.table.ts";

const tokenRow = prepared((db, given: Given<{ tokenHash: string }>) =>
  db
    .select({
      id: accessTokens.id,
      scopes: accessTokens.scopes,
      endsAt: accessTokens.expiresAt,
      lastUsedAt: accessTokens.lastUsedAt,
      userId: users.id,
      role: users.role,
      isAuthorized: users.isAuthorized,
      isTrial: users.isTrial,
      subscriptionStatus: subscriptions.status,
      expiresAt: subscriptions.expiresAt,
    })
    .from(accessTokens)
    .innerJoin(users, eq(users.id, accessTokens.userId))
    .leftJoin(subscriptions, eq(subscriptions.userId, users.id))
    .where(eq(accessTokens.tokenHash, given.tokenHash)),
);

/** An access token with its user's current rights. It is one statement because every request runs it. */
export async function findTokenRow(db: DbOrTx, tokenHash: string) {
  const [row] = await tokenRow(db, { tokenHash });
  return row;
}
