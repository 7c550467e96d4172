import type { SignedInUser } from "../../../shared/api/users.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import { findSubscription } from "../subscriptions/subscriptions.repo.ts";
import { presentUser } from "../users/present-user.ts";
import type { UserRow } from "../users/users.table.ts";
import { insertSession } from "./auth.repo.ts";
import { sessionLifetimeSeconds } from "./find-session.ts";

/** Opens a session for somebody who has proven who he is. */
export async function openSession(
  deps: Pick<Deps, "tokens" | "clock">,
  tx: Tx,
  user: UserRow,
  origin: RequestOrigin,
): Promise<SignedInUser> {
  const now = deps.clock.now();
  const id = Bun.randomUUIDv7();
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
