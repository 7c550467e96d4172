import { and, eq, ne, notInArray, type SQL, sql } from "drizzle-orm";
import type { DbOrTx } from "../../db/client.ts";
import { isKept } from "../../holdings/kept.repo.ts";
import { type Caller, grantedTo } from "./studies.repo.ts";
import { grants, studies, studyTallies } from "./studies.table.ts";

/** The accounts that granted studies to a user, those with the most first. */
export interface Grantors {
  /** Stays the same while the user's grants do; empty if there are none. */
  revision: string;
  accountIds: string[];
}

/** Names the grants of a caller, which mean nothing to an admin: it differs once one is made or ended. */
export function grantsRevision({ userId, role }: Caller): SQL {
  if (role === "admin") return sql`''`;
  return sql`(select coalesce(count(*) || ' ' || bit_xor(uuid_hash_extended(${grants.studyId}, 0)), '')
    from ${grants} where ${grants.userId} = ${userId})`;
}

/** `offset 0` makes PostgreSQL look up the study of each grant; it would read all studies of all accounts. */
export async function readGrantors(db: DbOrTx, caller: Caller): Promise<Grantors> {
  const [row] = await db.execute<{ revision: string; accountIds: string[] }>(sql`
    select ${grantsRevision(caller)} as revision, array(
      select ${studies.accountId} from ${grants} cross join lateral (
        select ${studies.accountId} from ${studies} where ${studies.id} = ${grants.studyId} offset 0
      ) as ${studies}
      where ${grants.userId} = ${caller.userId} and ${studies.accountId} <> ${caller.userId}
      group by 1 order by count(*) desc, 1
    )::text[] as "accountIds"`);
  if (!row) throw new Error("a select without from answered no row");
  return row;
}

/** How many studies each of some accounts keeps, by modality. */
export interface GrantorTallies {
  /** Every count of these studies is valid while this stays the same. */
  revision: string;
  byAccount: Record<string, Record<string, number>>;
}

export async function readGrantorTallies(db: DbOrTx, accountIds: string[]): Promise<GrantorTallies> {
  const isOfThem = isAmong(accountIds);
  const [row] = await db.execute<{ revision: string; byAccount: GrantorTallies["byAccount"] }>(sql`
    select ${talliesRevision(accountIds)} as revision, (
      select coalesce(json_object_agg(account_id, tally), '{}') from (
        select account_id, json_object_agg(modality, studies) as tally from (
          select ${studyTallies.accountId} as account_id, ${studyTallies.modality} as modality, sum(${studyTallies.studies}) as studies
          from ${studyTallies} where ${isOfThem} group by 1, 2 having sum(${studyTallies.studies}) > 0
        ) as of_modality group by 1
      ) as of_account
    ) as "byAccount"`);
  if (!row) throw new Error("a select without from answered no row");
  return row;
}

/** Differs once a study of one of these accounts changes. */
export function talliesRevision(accountIds: string[]): SQL {
  const ids = sql`string_agg(${studyTallies.id}::text, '' order by ${studyTallies.id})`;
  return sql`(select coalesce(md5(${ids}), '') from ${studyTallies} where ${isAmong(accountIds)})`;
}

export async function readGrantsRevision(db: DbOrTx, caller: Caller): Promise<string> {
  const [row] = await db.execute<{ revision: string }>(sql`select ${grantsRevision(caller)} as revision`);
  return row?.revision ?? "";
}

export function isAmong(accountIds: string[]): SQL {
  return sql`${studyTallies.accountId} = any(${sql.param(accountIds)}::uuid[])`;
}

/** The studies that one account granted: those that its indexes give in their order, but for the ones that it did not grant. */
export function grantedBy(accountId: string, userId: string): SQL | undefined {
  return and(isKept(studies), eq(studies.accountId, accountId), grantedTo(userId));
}

/** The studies that any account granted, found by their grants and in no order. */
export function grantedByAny(userId: string): SQL | undefined {
  const ids = sql`select ${grants.studyId} from ${grants} where ${grants.userId} = ${userId}`;
  return and(isKept(studies), ne(studies.accountId, userId), sql`${studies.id} = any(array(${ids}))`);
}

/** The studies that all but these accounts granted. */
export function grantedByOthers(accountIds: string[], userId: string): SQL | undefined {
  return and(isKept(studies), notInArray(studies.accountId, [...accountIds, userId]), grantedTo(userId));
}
