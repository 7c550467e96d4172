import { ConfigError, readConfig } from "../config.ts";
import type { Program } from "./program.ts";
import { UsageError } from "./usage.ts";

/** Hidden from the usage: the executable starts itself with this command to read uploads. */
export const INGEST_WORKER = "ingest-worker";
/** Hidden too: the executable starts itself with this command to decode pixels. */
export const PICTURE_WORKER = "picture-worker";
/** Hidden too: the executable starts itself with this command to make lossless copies of frames. */
export const ENCODE_WORKER = "encode-worker";
/** Hidden too: the executable starts itself with this command to find elements in files. */
export const ELEMENT_WORKER = "element-worker";
/** Hidden too: the executable starts itself with this command to speak to DICOM senders. */
export const DIMSE_WORKER = "dimse-worker";
/** Hidden too: the executable starts itself with this command to judge what they send. */
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
  receipt-key rotate    sign receipts with a new key; the old ones still verify
  backup DIR            back up a running or stopped installation into a folder: [--keep N] states [--reread]
  restore DIR           restore a backup into an empty DATA_DIR, database and store: [--state NAME] [--without-damaged]
  verify                read every byte of the archive and compare: [--json]
  verify --rehearse DIR restore a backup into a scratch place, open every study there and report: [--json]
  import PATH...        take in folders, ZIPs and discs for an account: --account E [--dry-run] [--json] [--state FILE]
  rebuild               make studies again from the archive, if the database is lost: --account E [--owner ID] [--unlabelled] [--json]
  licenses              show the licences of Exameteca and of what is in it

Settings come from the environment; the README has the table.`;

/**
 * Runs a subcommand and returns the exit code: 0, 1 if it failed, 2 if it was called or configured wrongly. Each
 * command's module is loaded only when it is called, because the ingest worker needs none of the server's modules.
 */
export async function run(program: Program, args: string[], environment = process.env): Promise<number> {
  const [command = "serve", ...rest] = args;
  try {
    if (rest.some((word) => word === "--help" || word === "-h")) return await answer(usage);
    if (TAKES_NOTHING.has(command) && rest.length > 0)
      throw new UsageError(`${command} takes nothing, not ${rest[0]}`);
    switch (command) {
      case "help":
      case "--help":
      case "-h":
        return await answer(usage);
      case "licenses":
        return await answer(await program.licenses());
      case INGEST_WORKER:
        return await workUntilDisconnected(import("../features/ingest/worker/ingest-worker.ts"));
      case PICTURE_WORKER:
        return await workUntilDisconnected(import("../features/thumbnails/worker/picture-worker.ts"));
      case ENCODE_WORKER:
        return await workUntilDisconnected(import("../features/derivatives/worker/encode-worker.ts"));
      case ELEMENT_WORKER:
        return await workUntilDisconnected(import("../features/dicomweb/bulk-data/worker/element-worker.ts"));
      case DIMSE_WORKER:
        return await workUntilDisconnected(import("../features/receivers/worker/dimse-worker.ts"));
      case JUDGE_WORKER:
        return await workUntilDisconnected(import("../features/receivers/worker/judge-worker.ts"));
      case "serve":
        return await (await import("./serve.ts")).serve(
          program,
          readConfig(environment, { makesAdmin: true }),
        );
      case "migrate":
        return await (await import("./migrate-only.ts")).migrateOnly(program, readConfig(environment));
      case "user":
        return await (await import("./user-command.ts")).userCommand(program, readConfig(environment), rest);
      case "receipt-key":
        return await (await import("./receipt-key-command.ts")).receiptKeyCommand(
          program,
          readConfig(environment),
          rest,
        );
      case "backup":
        return await (await import("./backup-command.ts")).backupCommand(
          program,
          readConfig(environment),
          rest,
        );
      case "restore":
        return await (await import("./restore-command.ts")).restoreCommand(
          program,
          readConfig(environment),
          rest,
        );
      case "verify":
        return await (await import("./verify-command.ts")).verifyCommand(
          program,
          readConfig(environment),
          rest,
        );
      case "import":
        return await (await import("./import-command.ts")).importCommand(
          program,
          readConfig(environment),
          rest,
        );
      case "rebuild":
        return await (await import("./rebuild-command.ts")).rebuildCommand(
          program,
          readConfig(environment),
          rest,
        );
      default:
        throw new UsageError(`There is no command "${command}".`);
    }
  } catch (error) {
    return await explain(error, FINDS.has(command) ? 2 : 1);
  }
}

/** A worker's module serves requests as soon as it is loaded, and ends the process itself. */
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
