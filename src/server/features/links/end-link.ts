import type { Deps } from "../../deps.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { recordAudit } from "../audit/audit.repo.ts";
import type { Caller } from "../studies/studies.repo.ts";
import { endLinkRow } from "./links.repo.ts";
import { findOwnLink } from "./read-links.ts";
import { eventsAboutStudies } from "./visit-audit.ts";

/**
 * Ends a link, by its owner or an admin. Its visits end at their next request. Idempotent.
 * @throws {AppError} `link.not_found`, also for another account's link
 */
export async function endLink(
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  id: string,
  origin: RequestOrigin,
): Promise<void> {
  const link = await findOwnLink(deps, caller, id);
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    if (!(await endLinkRow(tx, id, { at: now, isBlocked: false }))) return;
    const event = { at: now, action: "link.ended", actorId: caller.userId, ...origin } as const;
    for (const one of await eventsAboutStudies(tx, link, event)) await recordAudit(tx, one);
  });
}
