import { and, eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { leased } from "../../db/leased-statement.ts";
import { type Given, prepared } from "../../db/prepared.ts";
import { shared } from "../../db/shared-statement.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import { type StoredObjectRow, storedObjects } from "../../holdings/objects/stored-objects.table.ts";
import type { Session } from "../../http/session.ts";
import { sessions } from "../accounts/accounts.table.ts";
import { users } from "../accounts/users/users.table.ts";
import { type SessionRow, sessionFields } from "../membership/session-standing.repo.ts";
import { type Caller, ownedByOrGrantedTo, visibleTo, visibleToJoinedUser } from "../studies/studies.repo.ts";
import { type SeriesRow, type StudyRow, series, studies } from "../studies/studies.table.ts";
import { subscriptions } from "../subscriptions/subscriptions.table.ts";

/** The studies that a DICOMweb request may reach: those that its caller sees, among those that its token names. */
export interface Scope {
  caller: Caller & Partial<Pick<Session, "isTrial">>;
  studyIds: string[];
  /** Leaves out the caller's own studies, for a caller without a subscription. */
  isGrantedOnly?: boolean;
  /** Who reads, if it is not the caller: a visitor, by their link. */
  reader?: string;
}

function inScope({ caller, studyIds, isGrantedOnly }: Scope) {
  const others = isGrantedOnly ? ne(studies.accountId, caller.userId) : undefined;
  return and(inArray(studies.id, studyIds), visibleTo(caller), others);
}

export async function listStudiesInScope(db: DbOrTx, scope: Scope): Promise<StudyRow[]> {
  if (scope.studyIds.length === 0) return [];
  return await db.select().from(studies).where(inScope(scope)).orderBy(studies.id);
}

/** One request reads at most this many series of a study. */
const MAX_SERIES = 10_000;

/** The series of a study, ordered by SeriesNumber; empty if the study is not in scope. */
export async function listSeriesInScope(
  db: DbOrTx,
  scope: Scope,
  studyInstanceUID: string,
): Promise<SeriesRow[]> {
  if (scope.studyIds.length === 0) return [];
  const rows = await db
    .select({ series })
    .from(series)
    .innerJoin(studies, eq(studies.id, series.studyId))
    .where(and(eq(studies.studyInstanceUID, studyInstanceUID), inScope(scope)))
    .orderBy(sql`${series.seriesNumber} nulls last`, series.seriesInstanceUID)
    .limit(MAX_SERIES);
  return rows.map((row) => row.series);
}

/** Both identifiers of a series, as a path has them. */
export interface SeriesUIDs {
  studyInstanceUID: string;
  seriesInstanceUID: string;
}

/** A series of one of the studies. */
type WantedSeries = SeriesUIDs & { studyIds: string[] };

const isWantedStudy = (given: Given<WantedSeries>) =>
  and(
    eq(studies.studyInstanceUID, given.studyInstanceUID),
    sql`${studies.id} = any(${given.studyIds}::uuid[])`,
  );
const isWantedSeries = (given: Given<WantedSeries>) => eq(series.seriesInstanceUID, given.seriesInstanceUID);

const manifestObject = (visible: (given: Given<{ userId: string }>) => SQL | undefined) =>
  prepared((db, given: Given<WantedSeries & { userId: string }>) =>
    db
      .select({ object: storedObjects, accountId: studies.accountId })
      .from(series)
      .innerJoin(studies, eq(studies.id, series.studyId))
      .innerJoin(storedObjects, eq(storedObjects.id, series.manifestId))
      .where(and(isWantedSeries(given), isWantedStudy(given), visible(given))),
  );
const manifestObjectForAdmin = manifestObject(() => isKept(studies));
const manifestObjectForUser = manifestObject(({ userId }) => ownedByOrGrantedTo(userId));

/** The manifest in force of a series. */
export async function findManifestObject(
  db: DbOrTx,
  { caller, studyIds, isGrantedOnly }: Scope,
  uids: SeriesUIDs,
): Promise<StoredObjectRow | undefined> {
  if (studyIds.length === 0) return undefined;
  const statement = caller.role === "admin" ? manifestObjectForAdmin : manifestObjectForUser;
  const rows = await statement(db, { ...uids, studyIds, userId: caller.userId });
  return rows.find(({ accountId }) => !isGrantedOnly || accountId !== caller.userId)?.object;
}

const sessionWithManifest = leased(
  shared(
    prepared((db, given: Given<WantedSeries & { sessionId: string }>) =>
      db
        .select({ session: sessionFields, object: storedObjects, accountId: studies.accountId })
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .leftJoin(subscriptions, eq(subscriptions.userId, users.id))
        .leftJoin(studies, and(isWantedStudy(given), visibleToJoinedUser))
        .leftJoin(series, and(eq(series.studyId, studies.id), isWantedSeries(given)))
        .leftJoin(storedObjects, eq(storedObjects.id, series.manifestId))
        .where(eq(sessions.id, given.sessionId)),
    ),
  ),
  (rows) => rows.some(({ object }) => object),
);

/** A series' manifest in force, with the account that owns the study. */
export interface ManifestOfAccount {
  object: StoredObjectRow;
  accountId: string;
}

/**
 * A session with what its user may do now, and the manifests in force of a series of `studyIds` that they see. Every frame asks for
 * both, hence one prepared statement. Its answer may be 10 ms old (`db/leased-statement.ts`), so the series may have grown since.
 */
export async function findSessionWithManifest(
  db: DbOrTx,
  asked: SeriesUIDs & { sessionId: string; studyIds: string[] },
): Promise<{ session: SessionRow | undefined; manifests: ManifestOfAccount[] }> {
  const rows = await sessionWithManifest(db, asked);
  // There is one row for each of the token's studies with this UID, or one row without a study.
  const manifests = rows.flatMap(({ object, accountId }) =>
    object && accountId ? [{ object, accountId }] : [],
  );
  return { session: rows[0]?.session, manifests };
}
