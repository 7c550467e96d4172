import { OperatorError } from "../../runtime/operator-error.ts";

export class PathIsAbsent extends OperatorError {
  override name = "PathIsAbsent";
  constructor(path: string) {
    super(`There is nothing at ${path}.`);
  }
}

/** No account has the address, or its owner could not send an upload themselves. */
export class AccountMayNotUpload extends OperatorError {
  override name = "AccountMayNotUpload";
}

export class ImportIsRunning extends OperatorError {
  override name = "ImportIsRunning";
  constructor() {
    super("Another import or rebuild runs on this DATA_DIR. Wait for it, or stop it.");
  }
}

/** Something outside of the files failed again and again. */
export class ImportStopped extends OperatorError {
  override name = "ImportStopped";
  constructor(reason: string, cause: unknown) {
    super(`Stopped (${reason}). What was taken is safe; start it again to go on.`, { cause });
  }
}
