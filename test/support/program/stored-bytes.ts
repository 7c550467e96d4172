import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Sql } from "../../../src/server/db/postgres.ts";

/** Differences between bytes and rows of a data directory; every list is empty in a sound one. */
export interface Disagreements {
  /** Files below `staging` or `objects` that no row names and no waiting deletion will take. */
  filesWithoutRow: string[];
  /** Rows whose bytes are missing. */
  rowsWithoutFile: string[];
  /** Uploads neither committed nor given up. */
  openUploads: string[];
  /** Studies that are not in the archive store. */
  notArchived: string[];
  /** Rows whose staged copy has not gone yet. */
  stillStaged: string[];
  /** Accounts whose counted bytes at rest differ from the sum of their objects, or whose counted exams from those they keep. */
  miscounted: string[];
}

/**
 * Compares the files of a data directory with the rows that name them. `archivedKeys`: the keys in the archive
 * store if that is not the folder `objects`.
 */
export async function compareBytes(
  sql: Sql,
  dataDir: string,
  archivedKeys?: Iterable<string>,
): Promise<Disagreements> {
  const staged = filesBelow(join(dataDir, "staging"));
  const archived = new Set(archivedKeys ?? filesBelow(join(dataDir, "objects")));
  const rows = await sql<{ key: string; location: string; staged_on: string | null }[]>`
    select key, location, staged_on from stored_objects`;
  const waiting = await sql<{ key: string }[]>`
    select jsonb_array_elements_text(data->'keys') as key from pgboss.job
    where state in ('created', 'retry', 'active') and data ? 'keys'`;
  const open = await sql<{ id: string }[]>`select id from uploads where state = 'receiving'`;
  const studies = await sql<{ id: string }[]>`select id from studies where storage_status <> 'b2'`;
  const miscounted = await sql<{ account_id: string }[]>`
    select account_id from (
      select account_id, -bytes as bytes from storage_tallies
      union all
      select account_id, stored_objects.size_bytes from stored_objects join studies on studies.id = study_id
      where removal_id is null
      union all
      select account_id, size_bytes from lab_exams where removal_id is null
    ) as changes group by 1 having sum(bytes) <> 0
    union
    select user_id from subscriptions join users on users.id = user_id and role <> 'admin'
    where exam_count <> (select count(*) from studies where account_id = user_id and removal_id is null)
      or lab_exam_count <> (select count(*) from lab_exams where account_id = user_id and removal_id is null)`;
  const copies = await sql<{ key: string }[]>`select key from derivatives where key is not null`;
  const going = new Set(waiting.map(({ key }) => key));
  const inArchive = new Set(rows.filter((row) => row.location === "archive").map(({ key }) => key));
  const isCopy = new Set(copies.map(({ key }) => key));
  const inStaging = new Set(rows.filter((row) => row.staged_on !== null).map(({ key }) => key));
  return {
    filesWithoutRow: [
      ...[...staged].filter((key) => !inStaging.has(key) && !going.has(key)).map((key) => `staging/${key}`),
      ...[...archived]
        .filter((key) => !inArchive.has(key) && !isCopy.has(key) && !going.has(key))
        .map((key) => `objects/${key}`),
    ],
    rowsWithoutFile: rows
      .filter(({ key, location }) => !(location === "archive" ? archived : staged).has(key))
      .map(({ key, location }) => `${location} ${key}`),
    openUploads: open.map(({ id }) => id),
    notArchived: studies.map(({ id }) => id),
    stillStaged: [...inStaging],
    miscounted: miscounted.map(({ account_id }) => account_id),
  };
}

export const NO_DISAGREEMENTS: Disagreements = {
  filesWithoutRow: [],
  rowsWithoutFile: [],
  openUploads: [],
  notArchived: [],
  stillStaged: [],
  miscounted: [],
};

/** Compares until all agrees, since deletions and transfers take a moment; returns the last comparison. */
export async function bytesOnceSettled(
  compare: () => Promise<Disagreements>,
  timeoutMs = 20_000,
): Promise<Disagreements> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await compare();
    if (Bun.deepEquals(found, NO_DISAGREEMENTS) || Date.now() > deadline) return found;
    await Bun.sleep(50);
  }
}

/** Paths below a folder, relative to it, of everything that is not a folder. */
export function filesBelow(folder: string): Set<string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Set(
    entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)),
  );
}

export function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
