import type { SignedInUser } from "../../../shared/api/users.ts";
import type { Locale } from "../../../shared/locale.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { findSubscription } from "../subscriptions/subscriptions.repo.ts";
import { presentUser } from "../users/present-user.ts";
import { updateUser } from "../users/users.repo.ts";
import type { UserRow } from "../users/users.table.ts";
import { insertSession } from "./auth.repo.ts";
import { sessionLifetimeSeconds } from "./find-session.ts";

/** Opens a session for somebody who has proven who he is, and writes to him in its language from now on. */
export async function openSession(
  deps: Pick<Deps, "tokens" | "clock">,
  tx: Tx,
  { user, locale }: { user: UserRow; locale: Locale },
  origin: RequestOrigin,
): Promise<SignedInUser> {
  const now = deps.clock.now();
  const id = Bun.randomUUIDv7();
  // The user's own row first: who deletes the account locks it before what hangs on it.
  if (user.locale !== locale) await updateUser(tx, user.id, { locale });
  await insertSession(tx, { id, userId: user.id, at: now });
  await recordAudit(tx, {
    at: now,
    action: "session.opened",
    actorId: user.id,
    accountId: user.id,
    ...origin,
  });
  const subscription = await findSubscription(tx, user.id);
  const token = await deps.tokens.sign("session", { sid: id, sub: user.id }, sessionLifetimeSeconds);
  return { ...presentUser(user, subscription?.expiresAt ?? null), token };
}
