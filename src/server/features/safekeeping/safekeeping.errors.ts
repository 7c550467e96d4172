import { OperatorError } from "../../runtime/operator-error.ts";

/** The folder holds no state that could be restored. */
export class NoBackup extends OperatorError {
  override name = "NoBackup";
  constructor(folder: string, states: readonly string[]) {
    const others = states.length > 0 ? ` It has ${states.join(", ")}.` : "";
    super(`${folder} holds no such backup.${others}`);
  }
}

/** A newer version of the program made the backup. */
export class BackupIsNewer extends OperatorError {
  override name = "BackupIsNewer";
  constructor() {
    super("This backup was made by a newer version of Exameteca: restore it with that version.");
  }
}

/** A file of a backup does not match its manifest. */
export class BackupIsDamaged extends OperatorError {
  override name = "BackupIsDamaged";
  constructor(what: string) {
    super(`The backup is damaged: ${what}.`);
  }
}

/** A restore goes into empty places only. */
export class PlaceIsTaken extends OperatorError {
  override name = "PlaceIsTaken";
  constructor(what: string) {
    super(`Nothing was restored: ${what} is there already. A backup is restored into empty places only.`);
  }
}
