import { mayKeepVisit } from "../../../shared/rules/may-keep-visit.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { aboutStudy, recordAudit } from "../audit/audit.repo.ts";
import { insertGrant } from "../studies/studies.repo.ts";
import { linkNotAllowed, visitOver } from "./links.errors.ts";
import { lockLink } from "./links.repo.ts";
import { resolveVisit } from "./visit-token.ts";
import { listStudiesOfLink } from "./visits.repo.ts";

/**
 * Grants the studies of a visit to the caller's account. The owner sees the grants and can take them away. Idempotent.
 * @throws {AppError} `visit.over`; `link.not_allowed` if a grant would allow the caller more than the link does
 */
export async function keepVisit(
  deps: Pick<Deps, "db" | "tokens" | "clock">,
  { userId, role }: Session,
  token: string,
  origin: RequestOrigin,
): Promise<void> {
  const { link } = await resolveVisit(deps, token);
  const { id: linkId, accountId } = link;
  if (!mayKeepVisit(link, role)) throw new AppError(linkNotAllowed);
  if (userId === accountId) return;
  const createdAt = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    // The link may have ended since it was read, and the grants would outlive it.
    if (!(await lockLink(tx, linkId, createdAt))) throw new AppError(visitOver);
    for (const study of await listStudiesOfLink(tx, linkId)) {
      const grant = { studyId: study.id, userId, grantedBy: accountId, createdAt };
      if (!(await insertGrant(tx, grant))) continue;
      await recordAudit(tx, {
        at: createdAt,
        action: "study.granted",
        actorId: userId,
        ...aboutStudy(study),
        details: { userId, linkId },
        ...origin,
      });
    }
  });
}
