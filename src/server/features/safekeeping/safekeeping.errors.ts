import { OperatorError } from "../../runtime/operator-error.ts";
import { errnoOf } from "../../storage/disk/fs-failure.ts";

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

/** The folder of a backup is in DATA_DIR. */
export class BackupIsInside extends OperatorError {
  override name = "BackupIsInside";
  constructor() {
    super("A backup inside DATA_DIR would be lost with it: choose a folder elsewhere.");
  }
}

/** What a backup would write into leads elsewhere. */
export class FolderIsLink extends OperatorError {
  override name = "FolderIsLink";
  constructor(path: string) {
    super(`${path} is a symbolic link or no folder: a backup writes into folders of its own only.`);
  }
}

/** The disk of a backup is full, read-only, or may not be written. */
export class FolderIsUnwritable extends OperatorError {
  override name = "FolderIsUnwritable";
  constructor(folder: string, cause: unknown) {
    super(
      `${folder} can't be written (${errnoOf(cause)}). No state was made; earlier ones are as they were.`,
      {
        cause,
      },
    );
  }
}

/** Another process writes a backup into the same folder. */
export class FolderIsBusy extends OperatorError {
  override name = "FolderIsBusy";
  constructor(path: string, holder: string) {
    super(`Another backup writes into this folder (${holder}). If none runs, delete ${path} and try again.`);
  }
}

/** The folder holds the states of another installation, which `--keep` would remove. */
export class FolderIsForeign extends OperatorError {
  override name = "FolderIsForeign";
  constructor(folder: string, state: string) {
    super(
      `${folder} holds backups of another installation (${state} has another secret): choose a folder of its own for each.`,
    );
  }
}

/** A file of a backup does not match its manifest. */
export class BackupIsDamaged extends OperatorError {
  override name = "BackupIsDamaged";
  /** @param isSpare whether the rest can be restored without the file */
  constructor(
    what: string,
    readonly isSpare = false,
  ) {
    super(`The backup is damaged: ${what}.`);
  }
}

/** Another process restores into the same database. */
export class RestoreIsRunning extends OperatorError {
  override name = "RestoreIsRunning";
  constructor() {
    super("Another restore into this database is running.");
  }
}

/** A restore goes into empty places only. */
export class PlaceIsTaken extends OperatorError {
  override name = "PlaceIsTaken";
  constructor(what: string) {
    super(`Nothing was restored: ${what} is there already. A backup is restored into empty places only.`);
  }
}
