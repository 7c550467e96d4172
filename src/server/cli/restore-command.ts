import type { Config } from "../config.ts";
import { migrations } from "../db/migrations.ts";
import { restoreBackup } from "../features/safekeeping/restore/restore-backup.ts";
import { outboxFolder } from "../mail/outbox.ts";
import { untilInterrupted } from "./interrupts.ts";
import { startOrAttach } from "./migrate-only.ts";
import { openArchive } from "./open-installation.ts";
import type { Program } from "./program.ts";
import { openProgressLine, sizeText } from "./progress-line.ts";
import { parseOptions, UsageError } from "./usage.ts";

/** `restore DIR [--state NAME]`, into an empty DATA_DIR, database and store. */
export async function restoreCommand(program: Program, config: Config, args: string[]): Promise<number> {
  const { folder, state } = readOptions(args);
  const signal = untilInterrupted();
  using progress = openProgressLine();
  const head = await restoreBackup(folder, {
    dataDir: config.dataDir,
    outbox: outboxFolder(config),
    authSecret: config.authSecret,
    openStore: async () => (await openArchive(config)).store,
    reachDatabase: () => startOrAttach(program, config),
    migrations,
    state,
    now: new Date(),
    signal,
    onProgress: ({ objects, bytes }) => progress.show(`Restoring: ${objects} objects, ${sizeText(bytes)}`),
  });
  process.stdout.write(
    `Restored ${head.state}, made at ${head.createdAt}. Everybody has to sign in again.\n`,
  );
  return 0;
}

function readOptions(args: string[]): { folder: string; state: string | undefined } {
  const { values, positionals } = parseOptions({
    args,
    allowPositionals: true,
    options: { state: { type: "string" } },
  });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError("restore takes one folder");
  return { folder, state: values.state };
}
