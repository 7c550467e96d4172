import type { Config } from "../config.ts";
import { assertOwnSessions } from "../db/assert-own-sessions.ts";
import { migrations } from "../db/migrations.ts";
import { type RestoreReport, restoreBackup } from "../features/safekeeping/restore/restore-backup.ts";
import { BackupIsDamaged } from "../features/safekeeping/safekeeping.errors.ts";
import { outboxFolder } from "../mail/outbox.ts";
import { OperatorError } from "../runtime/operator-error.ts";
import { counted } from "./counted.ts";
import { untilInterrupted } from "./interrupts.ts";
import { openArchive } from "./open-installation.ts";
import type { Program } from "./program.ts";
import { openProgressLine, sizeText } from "./progress-line.ts";
import { startOrAttach } from "./reach-database.ts";
import { tell } from "./tell.ts";
import { parseOptions, UsageError } from "./usage.ts";

/**
 * `restore DIR [--state NAME] [--without-damaged]`, into an empty DATA_DIR, database and store. Exit code 1 also if damaged objects were
 * left out.
 */
export async function restoreCommand(program: Program, config: Config, args: string[]): Promise<number> {
  const { folder, state, withoutDamaged } = readOptions(args);
  // A lock of its session keeps a second one out.
  if (config.databaseUrl) await assertOwnSessions(config.databaseUrl);
  const signal = untilInterrupted();
  using progress = openProgressLine();
  const restored = await restoreBackup(folder, {
    dataDir: config.dataDir,
    outbox: outboxFolder(config),
    authSecret: config.authSecret,
    openStore: async () => (await openArchive(config)).store,
    reachDatabase: () => startOrAttach(program, config),
    migrations,
    state,
    withoutDamaged,
    now: new Date(),
    signal,
    onProgress: ({ objects, bytes }) =>
      progress.show(`Restoring: ${counted(objects, "object")}, ${sizeText(bytes)}`),
  }).catch(withAdvice);
  await tell(told(restored));
  return restored.leftOut.length > 0 ? 1 : 0;
}

function withAdvice(error: unknown): never {
  if (!(error instanceof BackupIsDamaged && error.isSpare)) throw error;
  throw new OperatorError(`${error.message} restore DIR --without-damaged brings everything else.`, {
    cause: error,
  });
}

function told({ state, createdAt, leftOut, notWhole }: RestoreReport): string {
  const lines = [
    `Restored ${state}, made at ${createdAt}. Everybody has to sign in again.`,
    ...leftOut.map((what) => `  left out, damaged in the backup: ${what}`),
    ...notWholeLines(notWhole),
  ];
  return lines.join("\n");
}

/** A line for each object that the backup could not hold as it was stored. */
export function notWholeLines(notWhole: RestoreReport["notWhole"]): string[] {
  return notWhole.map(({ key, found }) =>
    found === "missing"
      ? `  missing in the archive when it was backed up: ${key}`
      : `  changed in the archive before it was backed up: ${key}`,
  );
}

function readOptions(args: string[]) {
  const { values, positionals } = parseOptions({
    args,
    allowPositionals: true,
    options: { state: { type: "string" }, "without-damaged": { type: "boolean" } },
  });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError("restore takes one folder");
  return { folder, state: values.state, withoutDamaged: values["without-damaged"] };
}
