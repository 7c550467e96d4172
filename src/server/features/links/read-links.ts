import type { Link, Opening } from "../../../shared/api/links.ts";
import { isUuid } from "../../../shared/uuid.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { findStudy } from "../studies/access/find-study.ts";
import { owns } from "../studies/access/study-access.ts";
import { studyNotOwner } from "../studies/studies.errors.ts";
import type { Caller } from "../studies/studies.repo.ts";
import { linkNotFound } from "./links.errors.ts";
import { findLink, type LinkWithStudies, listLinks, listVisits } from "./links.repo.ts";
import type { LinkRow, VisitRow } from "./links.table.ts";

/** Links of one account that can be opened; all of them are listed. */
export const MAX_LIVE_LINKS = 1_000;
/** How many openings of a link are kept and listed. */
export const MAX_OPENINGS_KEPT = 500;

/**
 * The links of the caller's account, newest first, those that are over included; for an admin, of all accounts. With a `reference`,
 * only those that show this study.
 * @throws {AppError} `study.not_found`, `study.not_owner`
 */
export async function readLinks(
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  reference: string | undefined,
): Promise<Link[]> {
  const now = deps.clock.now();
  const study = reference === undefined ? undefined : await findStudy(deps.db, caller, reference);
  if (study && !owns(caller, study)) throw new AppError(studyNotOwner);
  const accountId = caller.role === "admin" ? undefined : caller.userId;
  const of = { ...(accountId && { accountId }), ...(study && { studyId: study.id }) };
  const rows = await listLinks(deps.db, of, { now, limit: MAX_LIVE_LINKS });
  return rows.map((row) => presentLink(row, now));
}

/** @throws {AppError} `link.not_found`, also for another account's link */
export async function readOpenings(deps: Pick<Deps, "db">, caller: Caller, id: string): Promise<Opening[]> {
  const link = await findOwnLink(deps, caller, id);
  return (await listVisits(deps.db, [link.id], MAX_OPENINGS_KEPT)).map(presentOpening);
}

/** @throws {AppError} `link.not_found` for an unknown link, and for another account's unless the caller is an admin */
export async function findOwnLink(deps: Pick<Deps, "db">, caller: Caller, id: string): Promise<LinkRow> {
  const link = isUuid(id) ? await findLink(deps.db, id) : undefined;
  if (!link || !owns(caller, link)) throw new AppError(linkNotFound);
  return link;
}

export function presentLink({ link, studyIds }: LinkWithStudies, now: Date): Link {
  return {
    id: link.id,
    studyIds,
    recipient: link.recipient,
    state: stateOf(link, { isEmpty: studyIds.length === 0, now }),
    hasPasscode: link.passcodeHash !== null,
    laudo: link.laudo,
    download: link.download,
    maxOpenings: link.maxOpenings,
    openings: link.openings,
    wrongPasscodes: link.wrongPasscodes,
    createdAt: link.createdAt.toISOString(),
    expiresAt: link.expiresAt.toISOString(),
    endedAt: link.endedAt?.toISOString() ?? null,
    lastOpenedAt: link.lastOpenedAt?.toISOString() ?? null,
  };
}

export function presentOpening({ at, address, device, readReport, downloaded }: VisitRow): Opening {
  return { at: at.toISOString(), address, device, readReport, downloaded };
}

/** A link ends with the last of its studies. */
function stateOf(link: LinkRow, { isEmpty, now }: { isEmpty: boolean; now: Date }): Link["state"] {
  if (link.endedAt) return link.isBlocked ? "blocked" : "ended";
  if (isEmpty) return "ended";
  if (link.expiresAt <= now) return "expired";
  return link.maxOpenings !== null && link.openings >= link.maxOpenings ? "used" : "active";
}
