import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { appliedOf } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import { listSmallFiles } from "../features/safekeeping/backup/copy-small-files.ts";
import { type BackupReport, makeBackup } from "../features/safekeeping/backup/make-backup.ts";
import { recordBackup } from "../features/safekeeping/backups.repo.ts";
import { outboxFolder } from "../mail/outbox.ts";
import { counted } from "./counted.ts";
import { untilInterrupted } from "./interrupts.ts";
import { openArchive } from "./open-installation.ts";
import type { Program } from "./program.ts";
import { barOfBytes, openProgressLine, sizeText } from "./progress-line.ts";
import { reachInstallation } from "./reach-database.ts";
import { tell } from "./tell.ts";
import { parseOptions, UsageError } from "./usage.ts";

/**
 * `backup DIR [--keep N] [--reread]`. Exit code 1 if something in the archive has changed since it was stored, or older states could
 * not be removed; the backup is made and reports it.
 */
export async function backupCommand(program: Program, config: Config, args: string[]): Promise<number> {
  const { folder, keep, rereadAll } = readOptions(args);
  const signal = untilInterrupted();
  await using database = await reachInstallation(program, config);
  using progress = openProgressLine();
  const report = await makeBackup(folder, {
    databaseUrl: database.url,
    dataDir: config.dataDir,
    migrations: await appliedOf(database.url, migrations),
    product: config.productName,
    sources: await openArchive(config),
    smallFiles: await listSmallFiles(config.dataDir, outboxFolder(config), config.authSecret),
    keep,
    rereadAll,
    now: new Date(),
    signal,
    onProgress: (tally, total) => progress.show(`Backing up: ${barOfBytes(tally.bytes, total.bytes)}`),
  });
  await recordBackup(database.url, new Date());
  await tell(told(folder, report));
  const { changed, missing, untaken, unpruned } = report;
  const isAsWanted = changed.length + missing.length + untaken.lost.length === 0 && !unpruned;
  return isAsWanted ? 0 : 1;
}

function readOptions(args: string[]) {
  const { values, positionals } = parseOptions({
    args,
    allowPositionals: true,
    options: { keep: { type: "string" }, reread: { type: "boolean" } },
  });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError("backup takes one folder");
  const keep = values.keep === undefined ? undefined : Number(values.keep);
  if (keep !== undefined && !(Number.isSafeInteger(keep) && keep >= 1))
    throw new UsageError("--keep is a number of states, 1 or more");
  return { folder: resolve(folder), keep, rereadAll: values.reread };
}

function told(
  folder: string,
  { state, objects, bytes, copiedBytes, changed, missing, healed, untaken, unpruned }: BackupReport,
): string {
  const lines = [
    `Backed up ${counted(objects, "object")} (${sizeText(bytes)}, ${sizeText(copiedBytes)} of it new) as ${state} in ${folder}`,
    ...changed.map((key) => `  changed since it was stored: ${key}`),
    ...missing.map((key) => `  missing in the archive: ${key}`),
    ...healed.map((path) => `  damaged in the backup, copied again: ${path}`),
    ...(untaken.uploads > 0
      ? [
          `  among it ${counted(untaken.uploads, "upload")} (${sizeText(untaken.bytes)}), whole and not taken in yet: a restore does that`,
        ]
      : []),
    ...untaken.lost.map((id) => `  missing, not taken in yet: upload ${id}`),
    ...(unpruned ? [`  older states could not be removed (${unpruned})`] : []),
  ];
  return lines.join("\n");
}
