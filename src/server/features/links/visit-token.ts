import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { FoundManifest } from "../dicomweb/catalogue/open-catalogue.ts";
import type { Scope, SeriesUIDs } from "../dicomweb/dicomweb.repo.ts";
import { isLinkOpen } from "./link-standing.ts";
import { visitOver } from "./links.errors.ts";
import { listStudyIds } from "./links.repo.ts";
import { findLinkStanding, findStandingWithManifest, type LinkStanding } from "./visits.repo.ts";

/** How long a visit lasts; a page that is open for longer opens the link again. */
const LIFETIME_SECONDS = 12 * 3600;
/** Tells a visit's token from that of a session's viewer, which stands in the same place of a path. */
const PREFIX = "v.";

/** A visit under way. */
export interface LiveVisit {
  visitId: string;
  link: LinkStanding;
}

export async function signVisit(
  tokens: Deps["tokens"],
  { linkId, visitId }: { linkId: string; visitId: string },
): Promise<string> {
  return `${PREFIX}${await tokens.sign("visit", { sid: visitId, sub: linkId }, LIFETIME_SECONDS)}`;
}

export function isVisitToken(token: string): boolean {
  return token.startsWith(PREFIX);
}

/**
 * The link of a visit, as its row says now: it ends with the link, with the owner's subscription and with their authorisation.
 * @throws {AppError} `visit.over`
 */
export async function resolveVisit(
  deps: Pick<Deps, "db" | "tokens" | "clock">,
  token: string,
): Promise<LiveVisit> {
  const { linkId, visitId } = await claimsOf(deps, token);
  return { visitId, link: openLink(deps, await findLinkStanding(deps.db, linkId)) };
}

/**
 * What a visit's token opens over DICOMweb, as `resolveViewerToken` does for a session's.
 * @throws {AppError} `visit.over`
 */
export async function resolveVisitScope(
  deps: Pick<Deps, "db" | "tokens" | "clock">,
  token: string,
  series?: SeriesUIDs,
): Promise<{ scope: Scope; found?: FoundManifest }> {
  const { linkId } = await claimsOf(deps, token);
  if (series) {
    const { link, object } = await findStandingWithManifest(deps.db, { id: linkId, ...series });
    // The request names its series, so its scope needs no more than that.
    return { scope: scopeOf(openLink(deps, link), []), found: { ...series, object } };
  }
  const link = openLink(deps, await findLinkStanding(deps.db, linkId));
  const studyIds = await listStudyIds(deps.db, [link.id]);
  return { scope: scopeOf(link, studyIds.get(link.id) ?? []) };
}

/** A visitor sees what its owner sees of the link's studies, as an account of no special role. */
export function scopeOf({ id, accountId, isTrial }: LinkStanding, studyIds: string[]): Scope {
  return { caller: { userId: accountId, role: "user", isTrial }, studyIds, reader: id };
}

function openLink(deps: Pick<Deps, "clock">, link: LinkStanding | undefined): LinkStanding {
  if (!link || !isLinkOpen(link, deps.clock.now())) throw new AppError(visitOver);
  return link;
}

async function claimsOf(deps: Pick<Deps, "tokens">, token: string) {
  const claims = isVisitToken(token)
    ? await deps.tokens.verify("visit", token.slice(PREFIX.length))
    : undefined;
  if (!claims) throw new AppError(visitOver);
  return { linkId: claims.sub, visitId: claims.sid };
}
