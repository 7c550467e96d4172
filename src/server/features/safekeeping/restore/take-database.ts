import type { TransactionSql } from "postgres";
import { assertFitDatabase } from "../../../db/assert-fit-database.ts";
import { hasLoadedRows } from "../../../db/dump/load-dump.ts";
import type { Sql } from "../../../db/postgres.ts";
import { claimForRestore, isClaimedForRestore, noteLoaded } from "../../../db/restore-claim.ts";
import { withStartupLock } from "../../../db/startup-lock.ts";
import type { Restoring } from "./assert-restored.ts";
import { hasTables, nameOfDatabase } from "./restore.repo.ts";

/**
 * What a restore finds in its database. `begun`: what an interrupted run left there; `whole`: all of it, and servers may work there since;
 * `taken`: anything else.
 */
export type FoundDatabase = "empty" | "begun" | "whole" | "taken";

/**
 * Claims the database of `url` for a restore, if it is empty or begun: nothing else begins to work on it until the claim ends.
 * @param begun the run that was interrupted with the same state
 * @throws {DatabaseDoesNotFit} if it is empty, and its tables can't be made there
 */
export async function takeDatabase(
  sql: Sql,
  url: string,
  begun: Restoring | undefined,
): Promise<{ name: string; found: FoundDatabase }> {
  const name = await nameOfDatabase(sql);
  const find = async (tx: TransactionSql): Promise<FoundDatabase> => {
    if (!(await hasTables(tx))) return "empty";
    // A run that did not come so far, or went into another database, made none of these tables.
    if (begun?.database !== name) return "taken";
    const isLoaded = await hasLoadedRows(tx);
    const isEnded = begun.isClaimed && !(await isClaimedForRestore(tx));
    return isLoaded && isEnded ? "whole" : "begun";
  };
  const found = await withStartupLock(url, (tx, answered) =>
    answered(
      (async () => {
        const found = await find(tx);
        if (found === "empty") await assertFitDatabase(tx);
        if (found === "empty" || found === "begun") await claimForRestore(tx);
        // A run of an older release did not note it.
        if (found === "begun" && !begun?.isClaimed && (await hasLoadedRows(tx))) await noteLoaded(tx);
        return found;
      })(),
    ),
  );
  return { name, found };
}
