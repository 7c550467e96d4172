import { and, eq, inArray, max, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { leased } from "../../db/leased-statement.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { shared } from "../../db/shared-statement.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import { users } from "../accounts/users/users.table.ts";
import type { SeriesUIDs } from "../dicomweb/dicomweb.repo.ts";
import { ownerFields } from "../membership/owner-standing.repo.ts";
import { type SeriesRow, type StudyRow, series, studies } from "../studies/studies.table.ts";
import { subscriptions } from "../subscriptions/subscriptions.table.ts";
import { shareLinkStudies, shareLinks } from "./links.table.ts";

export type FoundLink = NonNullable<Awaited<ReturnType<typeof findLinkBySecret>>>;

/** What decides whether a link opens anything now. */
const linkFields = {
  id: shareLinks.id,
  accountId: shareLinks.accountId,
  recipient: shareLinks.recipient,
  laudo: shareLinks.laudo,
  download: shareLinks.download,
  expiresAt: shareLinks.expiresAt,
  endedAt: shareLinks.endedAt,
  ownerName: users.name,
  isTrial: users.isTrial,
  ...ownerFields,
};

/** The link's studies that its account still keeps. */
const isOfLink = and(
  isKept(studies),
  eq(studies.accountId, shareLinks.accountId),
  sql`exists (select from ${shareLinkStudies}
    where ${shareLinkStudies.linkId} = ${shareLinks.id} and ${shareLinkStudies.studyId} = ${studies.id})`,
);

const linkBySecret = prepared((db, given: Given<{ secretHash: string }>) =>
  db
    .select({
      ...linkFields,
      passcodeHash: shareLinks.passcodeHash,
      wrongPasscodes: shareLinks.wrongPasscodes,
      maxOpenings: shareLinks.maxOpenings,
      openings: shareLinks.openings,
    })
    .from(shareLinks)
    .innerJoin(users, eq(users.id, shareLinks.accountId))
    .leftJoin(subscriptions, eq(subscriptions.userId, users.id))
    .where(eq(shareLinks.secretHash, given.secretHash)),
);

/**
 * The link of a secret. It is found by the secret's hash alone, so that a wrong secret costs the same whether or not the id that
 * comes with it exists.
 */
export async function findLinkBySecret(db: DbOrTx, secretHash: string) {
  const [row] = await linkBySecret(db, { secretHash });
  return row;
}

const linkStanding = prepared((db, given: Given<{ id: string }>) =>
  db
    .select({ link: linkFields })
    .from(shareLinks)
    .innerJoin(users, eq(users.id, shareLinks.accountId))
    .leftJoin(subscriptions, eq(subscriptions.userId, users.id))
    .where(eq(shareLinks.id, given.id)),
);

export type LinkStanding = NonNullable<Awaited<ReturnType<typeof findLinkStanding>>>;

export async function findLinkStanding(db: DbOrTx, id: string) {
  const [row] = await linkStanding(db, { id });
  return row?.link;
}

const standingWithManifest = leased(
  shared(
    prepared((db, given: Given<SeriesUIDs & { id: string }>) =>
      db
        .select({ link: linkFields, object: storedObjects })
        .from(shareLinks)
        .innerJoin(users, eq(users.id, shareLinks.accountId))
        .leftJoin(subscriptions, eq(subscriptions.userId, users.id))
        .leftJoin(studies, and(eq(studies.studyInstanceUID, given.studyInstanceUID), isOfLink))
        .leftJoin(
          series,
          and(eq(series.studyId, studies.id), eq(series.seriesInstanceUID, given.seriesInstanceUID)),
        )
        .leftJoin(storedObjects, eq(storedObjects.id, series.manifestId))
        .where(eq(shareLinks.id, given.id)),
    ),
  ),
  (rows) => rows.some(({ object }) => object),
);

/**
 * A link with the manifest in force of one of its series. A visit asks for both at every frame, hence one statement. Its answer may
 * be 10 ms old (`db/leased-statement.ts`), so the series may have grown since.
 */
export async function findStandingWithManifest(
  db: DbOrTx,
  asked: SeriesUIDs & { id: string },
): Promise<{ link: LinkStanding | undefined; object: StoredObjectRow | undefined }> {
  const [row] = await standingWithManifest(db, asked);
  return { link: row?.link, object: row?.object ?? undefined };
}

/** The studies that a link shows now, in their order. */
export async function listStudiesOfLink(db: DbOrTx, linkId: string): Promise<StudyRow[]> {
  const rows = await db
    .select({ study: studies })
    .from(shareLinkStudies)
    .innerJoin(shareLinks, eq(shareLinks.id, shareLinkStudies.linkId))
    .innerJoin(studies, and(eq(studies.id, shareLinkStudies.studyId), isOfLink))
    .where(eq(shareLinkStudies.linkId, linkId))
    .orderBy(shareLinkStudies.place);
  return rows.map(({ study }) => study);
}

/**
 * How many studies a link was made of. Of a link that an older release made, at least so many: the places of those that are left tell
 * of what stood before them.
 */
export async function countStudiesAtFirst(db: DbOrTx, linkId: string): Promise<number> {
  const lastPlace = db
    .select({ place: max(shareLinkStudies.place) })
    .from(shareLinkStudies)
    .where(eq(shareLinkStudies.linkId, linkId));
  const [row] = await db
    .select({ studies: sql<number>`coalesce(${shareLinks.studyCount}, ${lastPlace} + 1, 0)` })
    .from(shareLinks)
    .where(eq(shareLinks.id, linkId));
  return row?.studies ?? 0;
}

/** The series of some studies, by SeriesNumber; at most `limit`. */
export async function listSeriesOfStudies(
  db: DbOrTx,
  studyIds: readonly string[],
  limit: number,
): Promise<SeriesRow[]> {
  if (studyIds.length === 0) return [];
  return await db
    .select()
    .from(series)
    .where(inArray(series.studyId, [...studyIds]))
    .orderBy(sql`${series.seriesNumber} nulls last`, series.seriesInstanceUID)
    .limit(limit);
}
