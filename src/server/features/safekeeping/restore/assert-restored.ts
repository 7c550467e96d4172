import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../../../runtime/operator-error.ts";
import { isAbsent } from "../../../storage/disk/fs-failure.ts";

/**
 * A file in DATA_DIR until the whole backup is restored: the name of the state and, on a line of its own, the database, once that was
 * found empty.
 */
export const RESTORE_MARK = "restore-unfinished";

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

/** The state whose restore was interrupted in this DATA_DIR, and the database into which it goes. */
export async function findRestoring(
  dataDir: string,
): Promise<{ state: string; database: string | undefined } | undefined> {
  try {
    const [state = "", database] = (await readFile(join(dataDir, RESTORE_MARK), "utf8")).trim().split("\n");
    return { state, database };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
