import { OperatorError } from "../runtime/operator-error.ts";

/** The database was migrated by a newer version of this program. */
export class DatabaseIsNewer extends OperatorError {
  override name = "DatabaseIsNewer";
  constructor() {
    super(
      "The database was migrated by a newer version of Exameteca: start that version, or restore a backup made before the upgrade.",
    );
  }
}

/** A migration that this database has differs from the one in this program. */
export class MigrationChanged extends OperatorError {
  override name = "MigrationChanged";
  constructor(readonly folderMillis: number) {
    super(
      `Migration ${folderMillis} was edited after this database had it: a new migration is needed instead.`,
    );
  }
}
