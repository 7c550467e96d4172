import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../../../runtime/operator-error.ts";
import { isAbsent } from "../../../storage/disk/fs-failure.ts";

/** A file in DATA_DIR with the name of the state, until the whole backup is restored. */
export const RESTORE_MARK = "restore-unfinished";

/** A restore was interrupted: DATA_DIR holds only a part of a backup. */
export class RestoreIsUnfinished extends OperatorError {
  override name = "RestoreIsUnfinished";
  constructor(dataDir: string, state: string) {
    super(
      `The restore of ${state} into ${dataDir} was interrupted: run it again with the same backup (restore DIR --state ${state}).`,
    );
  }
}

/** @throws {RestoreIsUnfinished} */
export async function assertRestored(dataDir: string): Promise<void> {
  const state = await restoringState(dataDir);
  if (state !== undefined) throw new RestoreIsUnfinished(dataDir, state);
}

/** The state whose restore was interrupted in this DATA_DIR. */
export async function restoringState(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, RESTORE_MARK), "utf8")).trim();
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
