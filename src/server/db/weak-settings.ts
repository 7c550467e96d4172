import { sql } from "drizzle-orm";
import type { Logger } from "../runtime/log.ts";
import type { Db } from "./client.ts";

/** The settings that decide whether a change that the database answered outlives a crash, as a session has them. */
interface Settings extends Record<string, unknown> {
  fsync: string;
  synchronous_commit: string;
  hasStandby: boolean;
}

/** With a synchronous standby these wait for less than the change on its disk. */
const WAIT_FOR_LESS = ["local", "remote_write"];

/** Warns if the database's server is set so that it may lose what it answered: our promises can't hold there. */
export async function tellWeakSettings(db: Db, log: Logger): Promise<void> {
  const [row] = await db.execute<Settings>(sql`
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
      current_setting('synchronous_standby_names') <> '' as "hasStandby"`);
  const settings = row ? weakOf(row) : [];
  if (settings.length > 0) log.warn("database.may_lose_changes", { settings });
}

function weakOf({ fsync, synchronous_commit: commit, hasStandby }: Settings): string[] {
  const isWeak = commit === "off" || (hasStandby && WAIT_FOR_LESS.includes(commit));
  return [...(fsync === "off" ? ["fsync=off"] : []), ...(isWeak ? [`synchronous_commit=${commit}`] : [])];
}
