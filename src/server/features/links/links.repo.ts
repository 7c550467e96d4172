import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  notInArray,
  or,
  sql,
} from "drizzle-orm";
import { MAX_WRONG_PASSCODES } from "../../../shared/api/links.ts";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { type LinkRow, shareLinkStudies, shareLinks, shareLinkVisits, type VisitRow } from "./links.table.ts";

type Values = typeof shareLinks.$inferInsert;

/** A link with the ids of its studies that still exist, in their order. */
export interface LinkWithStudies {
  link: LinkRow;
  studyIds: string[];
}

export async function insertLink(tx: Tx, link: Values, studyIds: readonly string[]): Promise<void> {
  await tx.insert(shareLinks).values({ ...link, studyCount: studyIds.length });
  await tx
    .insert(shareLinkStudies)
    .values(studyIds.map((studyId, place) => ({ linkId: link.id, studyId, place })));
}

/** The account's links that can still be opened. */
export async function countLiveLinks(db: DbOrTx, accountId: string, now: Date): Promise<number> {
  const [row] = await db
    .select({ links: count() })
    .from(shareLinks)
    .where(and(eq(shareLinks.accountId, accountId), isLive(now)));
  return row?.links ?? 0;
}

/** Forgets the oldest links of an account that are over, but for the newest `kept`. */
export async function deleteOldestOver(tx: Tx, accountId: string, now: Date, kept: number): Promise<void> {
  const over = and(eq(shareLinks.accountId, accountId), sql`not (${isLive(now)})`);
  const oldest = tx
    .select({ id: shareLinks.id })
    .from(shareLinks)
    .where(over)
    .orderBy(desc(shareLinks.id))
    .offset(kept)
    .limit(100);
  await tx.delete(shareLinks).where(inArray(shareLinks.id, oldest));
}

/**
 * Newest first. `accountId` undefined: of all accounts; `studyId`: those that show this study. Beyond `limit` those that are over are
 * left out, and then the oldest that still open something.
 */
export async function listLinks(
  db: DbOrTx,
  of: { accountId?: string; studyId?: string },
  { now, limit }: { now: Date; limit: number },
): Promise<LinkWithStudies[]> {
  const shown = db
    .select({ id: shareLinkStudies.linkId })
    .from(shareLinkStudies)
    .where(and(eq(shareLinkStudies.linkId, shareLinks.id), eq(shareLinkStudies.studyId, of.studyId ?? "")));
  const links = await db
    .select()
    .from(shareLinks)
    .where(
      and(
        of.accountId === undefined ? undefined : eq(shareLinks.accountId, of.accountId),
        of.studyId === undefined ? undefined : exists(shown),
      ),
    )
    .orderBy(desc(sql`(${isLive(now)})`), desc(shareLinks.id))
    .limit(limit);
  links.sort((one, other) => (one.id < other.id ? 1 : -1));
  const studyIds = await listStudyIds(
    db,
    links.map(({ id }) => id),
  );
  return links.map((link) => ({ link, studyIds: studyIds.get(link.id) ?? [] }));
}

/** The studies of each link, in their order. */
export async function listStudyIds(db: DbOrTx, linkIds: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>(linkIds.map((id) => [id, []]));
  if (linkIds.length === 0) return found;
  const rows = await db
    .select({ linkId: shareLinkStudies.linkId, studyId: shareLinkStudies.studyId })
    .from(shareLinkStudies)
    .where(inArray(shareLinkStudies.linkId, [...linkIds]))
    .orderBy(asc(shareLinkStudies.place));
  for (const { linkId, studyId } of rows) found.get(linkId)?.push(studyId);
  return found;
}

export async function findLink(db: DbOrTx, id: string): Promise<LinkRow | undefined> {
  const [row] = await db.select().from(shareLinks).where(eq(shareLinks.id, id));
  return row;
}

/** Ends a link that has not ended; returns whether it did. */
export async function endLinkRow(
  tx: Tx,
  id: string,
  { at, isBlocked }: { at: Date; isBlocked: boolean },
): Promise<boolean> {
  const rows = await tx
    .update(shareLinks)
    .set({ endedAt: at, isBlocked })
    .where(and(eq(shareLinks.id, id), isNull(shareLinks.endedAt)))
    .returning({ id: shareLinks.id });
  return rows.length === 1;
}

/** Counts a passcode before it is compared. Returns how many are counted now; undefined if no try is left. */
export async function takeTry(db: DbOrTx, id: string): Promise<number | undefined> {
  const [row] = await db
    .update(shareLinks)
    .set({ wrongPasscodes: sql`${shareLinks.wrongPasscodes} + 1` })
    .where(
      and(
        eq(shareLinks.id, id),
        isNull(shareLinks.endedAt),
        lt(shareLinks.wrongPasscodes, MAX_WRONG_PASSCODES),
      ),
    )
    .returning({ tries: shareLinks.wrongPasscodes });
  return row?.tries;
}

/** The link, if all its tries are counted and it has not ended. */
export async function findUsedUpLink(db: DbOrTx, id: string): Promise<LinkRow | undefined> {
  const isUsedUp = gte(shareLinks.wrongPasscodes, MAX_WRONG_PASSCODES);
  const [row] = await db
    .select()
    .from(shareLinks)
    .where(and(eq(shareLinks.id, id), isNull(shareLinks.endedAt), isUsedUp));
  return row;
}

/** The passcode was right, so it does not count. */
export async function giveBackTry(db: DbOrTx, id: string): Promise<void> {
  await db
    .update(shareLinks)
    .set({ wrongPasscodes: sql`greatest(${shareLinks.wrongPasscodes} - 1, 0)` })
    .where(eq(shareLinks.id, id));
}

/** Counts one opening; false if the link is over or used up by now. Safe under concurrency. */
export async function takeOpening(tx: Tx, id: string, now: Date): Promise<boolean> {
  const rows = await tx
    .update(shareLinks)
    .set({ openings: sql`${shareLinks.openings} + 1`, lastOpenedAt: now })
    .where(and(eq(shareLinks.id, id), isLive(now)))
    .returning({ id: shareLinks.id });
  return rows.length === 1;
}

/** Whether the link has neither ended nor expired. Its openings run one after another until the transaction ends. */
export async function lockLink(tx: Tx, id: string, now: Date): Promise<boolean> {
  const { endedAt, expiresAt } = shareLinks;
  const rows = await tx
    .select({ id: shareLinks.id })
    .from(shareLinks)
    .where(and(eq(shareLinks.id, id), isNull(endedAt), gt(expiresAt, now)))
    .for("update");
  return rows.length === 1;
}

/** The visit that a browser began since `since` with this attempt. */
export async function findAttempt(
  db: DbOrTx,
  linkId: string,
  { attemptHash, since }: { attemptHash: string; since: Date },
): Promise<string | undefined> {
  const { id, at } = shareLinkVisits;
  const [row] = await db
    .select({ id })
    .from(shareLinkVisits)
    .where(
      and(eq(shareLinkVisits.linkId, linkId), eq(shareLinkVisits.attemptHash, attemptHash), gt(at, since)),
    );
  return row?.id;
}

/** Whether a mail about an opening may go out now; the caller that is told so sends it. */
export async function takeMail(tx: Tx, id: string, now: Date, everyMs: number): Promise<boolean> {
  const rows = await tx
    .update(shareLinks)
    .set({ mailedAt: now })
    .where(
      and(
        eq(shareLinks.id, id),
        or(isNull(shareLinks.mailedAt), lt(shareLinks.mailedAt, new Date(now.getTime() - everyMs + 1))),
      ),
    )
    .returning({ id: shareLinks.id });
  return rows.length === 1;
}

/** Takes the charge of a download through the link, unless one was charged since `since`. */
export async function takeCharge(
  tx: Tx,
  { linkId, studyId }: { linkId: string; studyId: string },
  { now, since }: { now: Date; since: Date },
): Promise<boolean> {
  const { chargedAt } = shareLinkStudies;
  const rows = await tx
    .update(shareLinkStudies)
    .set({ chargedAt: now })
    .where(
      and(
        eq(shareLinkStudies.linkId, linkId),
        eq(shareLinkStudies.studyId, studyId),
        or(isNull(chargedAt), lt(chargedAt, since)),
      ),
    )
    .returning({ linkId: shareLinkStudies.linkId });
  return rows.length === 1;
}

/** Records an opening, and forgets the oldest ones beyond `kept`. */
export async function insertVisit(
  tx: Tx,
  visit: typeof shareLinkVisits.$inferInsert,
  kept: number,
): Promise<void> {
  await tx.insert(shareLinkVisits).values(visit);
  const newest = tx
    .select({ id: shareLinkVisits.id })
    .from(shareLinkVisits)
    .where(eq(shareLinkVisits.linkId, visit.linkId))
    .orderBy(desc(shareLinkVisits.id))
    .limit(kept);
  await tx
    .delete(shareLinkVisits)
    .where(and(eq(shareLinkVisits.linkId, visit.linkId), notInArray(shareLinkVisits.id, newest)));
}

export async function noteInVisit(
  db: DbOrTx,
  id: string,
  did: { readReport: true } | { downloaded: true },
): Promise<void> {
  await db.update(shareLinkVisits).set(did).where(eq(shareLinkVisits.id, id));
}

/** Newest first. */
export async function listVisits(db: DbOrTx, linkIds: readonly string[], limit: number): Promise<VisitRow[]> {
  if (linkIds.length === 0) return [];
  return await db
    .select()
    .from(shareLinkVisits)
    .where(inArray(shareLinkVisits.linkId, [...linkIds]))
    .orderBy(desc(shareLinkVisits.id))
    .limit(limit);
}

/** Deletes up to `limit` links that were over before `before`; returns how many. */
export async function deleteLinksOverBefore(db: DbOrTx, before: Date, limit: number): Promise<number> {
  const old = db
    .select({ id: shareLinks.id })
    .from(shareLinks)
    .where(sql`least(${shareLinks.expiresAt}, ${shareLinks.endedAt}) < ${before.toISOString()}::timestamptz`)
    .limit(limit);
  const rows = await db
    .delete(shareLinks)
    .where(inArray(shareLinks.id, old))
    .returning({ id: shareLinks.id });
  return rows.length;
}

/** Neither ended nor expired, nor opened as often as it may be, nor without any study left. */
function isLive(now: Date) {
  const { id, endedAt, expiresAt, maxOpenings, openings } = shareLinks;
  return and(
    isNull(endedAt),
    gt(expiresAt, now),
    or(isNull(maxOpenings), lt(openings, maxOpenings)),
    sql`exists (select from ${shareLinkStudies} where ${shareLinkStudies.linkId} = ${id})`,
  );
}
