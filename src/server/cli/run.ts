import { type Config, ConfigError, readConfig } from "../config.ts";
import type { Program } from "./program.ts";
import { UsageError } from "./usage.ts";

// The executable starts itself with these commands, which the usage does not name.

/** Reads uploads. */
export const INGEST_WORKER = "ingest-worker";
/** Decodes pixels. */
export const PICTURE_WORKER = "picture-worker";
/** Makes lossless copies of frames. */
export const ENCODE_WORKER = "encode-worker";
/** Finds elements in files. */
export const ELEMENT_WORKER = "element-worker";
/** Speaks to DICOM senders. */
export const DIMSE_WORKER = "dimse-worker";
/** Judges what they send. */
export const JUDGE_WORKER = "judge-worker";

/** These commands return 1 if they completed and found something wrong, so that 2 means that they did not complete. */
const FINDS = new Set(["backup", "verify", "import", "rebuild"]);

/** Settings come from the environment, so a word after one of these is a mistake. */
const TAKES_NOTHING = new Set(["serve", "migrate", "licenses", "help"]);

const usage = `Usage: exameteca [command]

  serve                 start the server (default)
  migrate               bring the database up to date and exit
  user add              --email E [--name N] [--role admin|user|doctor|lab] [--password P]
  user set              --email E [--password P] [--new-email E] [--two-factor on|off]
  receiver free TITLE   let another account take up an AE title within the year after its receiver ended
  receipt-key rotate    sign receipts with a new key; the old ones still verify
  backup DIR            back up a running or stopped installation into a folder: [--keep N] states [--reread]
  restore DIR           restore a backup into an empty DATA_DIR, database and store: [--state NAME] [--without-damaged]
  verify                read every byte of the archive and compare: [--json] [--shared] with other installations in the bucket
  verify --rehearse DIR restore a backup into a scratch place, open every study there and report: [--json]
  import PATH...        take in folders, ZIPs and discs for an account: --account E [--dry-run] [--json] [--state FILE]
  rebuild               make studies again from the archive, if the database is lost: --account E [--owner ID] [--unlabelled] [--json]
  licenses              show the licences of Exameteca and of what is in it

Settings come from the environment; the README has the table.`;

/** Loads the module of a worker, which then serves requests and ends the process itself. */
const WORKERS = new Map<string, () => Promise<unknown>>([
  [INGEST_WORKER, () => import("../features/ingest/worker/ingest-worker.ts")],
  [PICTURE_WORKER, () => import("../features/thumbnails/worker/picture-worker.ts")],
  [ENCODE_WORKER, () => import("../features/derivatives/worker/encode-worker.ts")],
  [ELEMENT_WORKER, () => import("../features/dicomweb/bulk-data/worker/element-worker.ts")],
  [DIMSE_WORKER, () => import("../features/receivers/worker/dimse-worker.ts")],
  [JUDGE_WORKER, () => import("../features/receivers/worker/judge-worker.ts")],
]);

type Command = (program: Program, config: Config, args: string[]) => Promise<number>;

/** A command's module is loaded only when it is called: a worker needs none of the server's modules. */
const COMMANDS = new Map<string, () => Promise<Command>>([
  ["migrate", async () => (await import("./migrate-command.ts")).migrateCommand],
  ["user", async () => (await import("./user-command.ts")).userCommand],
  ["receiver", async () => (await import("./receiver-command.ts")).receiverCommand],
  ["receipt-key", async () => (await import("./receipt-key-command.ts")).receiptKeyCommand],
  ["backup", async () => (await import("./backup-command.ts")).backupCommand],
  ["restore", async () => (await import("./restore-command.ts")).restoreCommand],
  ["verify", async () => (await import("./verify-command.ts")).verifyCommand],
  ["import", async () => (await import("./import-command.ts")).importCommand],
  ["rebuild", async () => (await import("./rebuild-command.ts")).rebuildCommand],
]);

/**
 * Runs a subcommand and returns the exit code: 0 for a success, 2 if it was called or configured wrongly. Otherwise 1 is a failure or a
 * finding; a command that looks for findings ends with 2 if it does not complete.
 */
export async function run(program: Program, args: string[], environment = process.env): Promise<number> {
  const [name = "serve", ...rest] = args;
  try {
    if (rest.some((word) => word === "--help" || word === "-h")) return await answer(usage);
    if (TAKES_NOTHING.has(name) && rest.length > 0)
      throw new UsageError(`${name} takes nothing, not ${rest[0]}`);
    const loadWorker = WORKERS.get(name);
    if (loadWorker) return await workUntilDisconnected(loadWorker());
    switch (name) {
      case "help":
      case "--help":
      case "-h":
        return await answer(usage);
      case "licenses":
        return await answer(await program.licenses());
      case "serve": {
        const { serve } = await import("./serve.ts");
        return await serve(program, readConfig(environment, { makesAdmin: true }));
      }
    }
    const loadCommand = COMMANDS.get(name);
    if (!loadCommand) throw new UsageError(`There is no command "${name}".`);
    const command = await loadCommand();
    return await command(program, readConfig(environment), rest);
  } catch (error) {
    return await explain(error, FINDS.has(name) ? 2 : 1);
  }
}

async function workUntilDisconnected(worker: Promise<unknown>): Promise<never> {
  await worker;
  return Promise.withResolvers<never>().promise;
}

async function answer(text: string): Promise<number> {
  await (await import("./tell.ts")).tell(text);
  return 0;
}

async function explain(error: unknown, couldNot: number): Promise<number> {
  if (error instanceof ConfigError) {
    const lines = error.problems.map((problem) => `  - ${problem}`).join("\n");
    process.stderr.write(`The configuration is not valid:\n${lines}\n`);
    return 2;
  }
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${usage}\n`);
    return 2;
  }
  const { explainFailure } = await import("./explain-failure.ts");
  process.stderr.write(`${explainFailure(error)}\n`);
  return couldNot;
}
