import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../../../runtime/operator-error.ts";
import { isAbsent } from "../../../storage/disk/fs-failure.ts";

/**
 * A file in DATA_DIR until the whole backup is restored: the name of the state and, on lines of their own once the database was found
 * empty, its name and that it is claimed (`db/restore-claim.ts`), which older releases did not do.
 */
export const RESTORE_MARK = "restore-unfinished";
const CLAIMED = "claimed";

/** A restore that was interrupted. */
export interface Restoring {
  state: string;
  /** The database into which it goes. */
  database: string | undefined;
  isClaimed: boolean;
}

export function restoreMark(state: string, database?: string): string {
  return database === undefined ? `${state}\n` : `${state}\n${database}\n${CLAIMED}\n`;
}

/** A restore was interrupted: DATA_DIR holds only a part of a backup. */
export class RestoreIsUnfinished extends OperatorError {
  override name = "RestoreIsUnfinished";
  constructor(dataDir: string, state: string) {
    super(
      `The restore of ${state} into ${dataDir} was interrupted: run it again with the same backup (restore DIR --state ${state}). For another backup, empty DATA_DIR, the database and the store first.`,
    );
  }
}

/** @throws {RestoreIsUnfinished} */
export async function assertRestored(dataDir: string): Promise<void> {
  const restoring = await findRestoring(dataDir);
  if (restoring) throw new RestoreIsUnfinished(dataDir, restoring.state);
}

/** The restore that was interrupted in this DATA_DIR. */
export async function findRestoring(dataDir: string): Promise<Restoring | undefined> {
  try {
    const text = await readFile(join(dataDir, RESTORE_MARK), "utf8");
    const [state = "", database, claimed] = text.trim().split("\n");
    return { state, database, isClaimed: claimed === CLAIMED };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
