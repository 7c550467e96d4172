import { OperatorError } from "../../runtime/operator-error.ts";

/** Another process keeps a PostgreSQL on this data directory and did not stop in time. */
export class DataDirInUse extends OperatorError {
  override name = "DataDirInUse";
  constructor(
    readonly dataDir: string,
    /** Of the PostgreSQL, if it runs. */
    readonly pid?: number,
  ) {
    const user =
      pid === undefined
        ? "another server starts its PostgreSQL there"
        : `PostgreSQL runs there as process ${pid}`;
    super(`${dataDir} is in use: ${user}. Stop the other Exameteca first, or choose another DATA_DIR.`);
  }
}

/** The data of a former run are not there. */
export class DataAway extends OperatorError {
  override name = "DataAway";
  constructor(readonly dataDir: string) {
    super(`${dataDir} has no data of PostgreSQL any more: look whether its disk is mounted.`);
  }
}

/** Another major version of PostgreSQL created the data directory. */
export class WrongPostgresMajor extends OperatorError {
  override name = "WrongPostgresMajor";
  constructor(
    readonly dataDir: string,
    readonly found: string,
    readonly expected: string,
  ) {
    super(
      `${dataDir} holds data of PostgreSQL ${found}, but this program brings PostgreSQL ${expected}. ` +
        `Back it up with the version of Exameteca that made it (backup DIR), then restore it here into an empty DATA_DIR (restore DIR).`,
    );
  }
}

/** The account that PostgreSQL runs as cannot reach, or does not own, the data directory. The message says what to do. */
export class DataDirUnreachable extends OperatorError {
  override name = "DataDirUnreachable";
}

/** There are no PostgreSQL binaries for this machine. */
export class PostgresBinariesMissing extends OperatorError {
  override name = "PostgresBinariesMissing";
}

/** The binaries in the executable could not be laid into the data directory. The runtime does not say why. */
export class PostgresNotUnpacked extends OperatorError {
  override name = "PostgresNotUnpacked";
  constructor(folder: string, options: ErrorOptions) {
    super(`PostgreSQL can't be unpacked into ${folder}: look whether its disk is full.`, options);
  }
}

/** initdb can't find PostgreSQL below a path that a shell reads as something else. */
export class DataDirReadByShell extends OperatorError {
  override name = "DataDirReadByShell";
  constructor(readonly path: string) {
    super(
      `PostgreSQL can't make its database below ${path}: choose a DATA_DIR without dollar signs, quotes, backticks and backslashes.`,
    );
  }
}

/** initdb makes no database for an account that has a number and no name. */
export class AccountWithoutName extends OperatorError {
  override name = "AccountWithoutName";
  constructor(readonly uid: number) {
    super(
      `PostgreSQL makes its database only for an account that has a name, and uid ${uid} has none. ` +
        "With DynamicUser of systemd, install libnss-systemd; in a container, run as the user of the image or name the uid in /etc/passwd.",
    );
  }
}

/** PostgreSQL (or initdb) ended instead of starting; `output` is the end of its output. */
export class PostgresStartFailed extends OperatorError {
  override name = "PostgresStartFailed";
  constructor(
    readonly step: "initdb" | "postgres",
    readonly exitCode: number | null,
    readonly output: string,
  ) {
    super(`${step} ended with ${exitCode ?? "a signal"}:\n${output.trim()}`);
  }
}
