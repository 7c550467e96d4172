import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emailSchema } from "../../shared/api/account-fields.ts";
import type { Config } from "../config.ts";
import { connectDatabase } from "../db/client.ts";
import { dryRun, type ForeseenStudy } from "../features/import/dry-run.ts";
import { FileTally } from "../features/import/file-tally.ts";
import { findUploader } from "../features/import/find-uploader.ts";
import type { FileReport } from "../features/import/found-file.ts";
import { importPaths } from "../features/import/import-paths.ts";
import { journalPath, openJournal } from "../features/import/journal.ts";
import { resolvePaths, walkPaths } from "../features/import/walk-paths.ts";
import { createIngestWorkers } from "../features/ingest/worker/ingest-workers.ts";
import { importDirOf } from "../nodes/node.ts";
import { createDiskRoom } from "../storage/disk/disk-room.ts";
import { spaceOf } from "../storage/disk/disk-space.ts";
import { readablePath } from "../storage/disk/raw-path.ts";
import { commandLog } from "./command-log.ts";
import { counted } from "./counted.ts";
import { untilInterrupted } from "./interrupts.ts";
import { LineWriter } from "./line-writer.ts";
import type { Program } from "./program.ts";
import { barOf, openProgressLine, type ProgressLine, sizeText } from "./progress-line.ts";
import { reachInstallation } from "./reach-database.ts";
import { openShortNode, type ReachedConfig } from "./short-node.ts";
import { checked, parseOptions, UsageError } from "./usage.ts";

interface Options {
  email: string;
  paths: string[];
  asJson: boolean;
  isDryRun: boolean;
  state: string | undefined;
}

interface Job extends Options {
  /** The installation's own data, which is not imported. */
  avoid: string;
}

const INTERRUPTED = "Interrupted. What was taken is safe; start it again to go on.";

/** `import PATH... --account E`. Exit code 0 if all was taken or is known, 1 if something was refused. */
export async function importCommand(program: Program, config: Config, args: string[]): Promise<number> {
  const given = readOptions(args);
  const options = {
    ...given,
    paths: await resolvePaths(given.paths),
    avoid: await realpath(config.dataDir).catch(() => config.dataDir),
  };
  const signal = untilInterrupted(INTERRUPTED);
  await using database = await reachInstallation(program, config);
  const run = options.isDryRun ? foresee : bringIn;
  return await run({ ...config, databaseUrl: database.url }, program, options, signal);
}

async function bringIn(
  config: ReachedConfig,
  program: Program,
  { email, paths, avoid, asJson, state }: Job,
  signal: AbortSignal,
): Promise<number> {
  await using short = await openShortNode(program, config);
  const { deps } = short;
  const { caller, isTrial } = await findUploader(deps.db, email, deps.clock.now());
  await using node = await short.open();
  await using journal = await openJournal(
    state ?? (await journalPath(join(importDirOf(config.dataDir), "journals"), caller.userId, paths)),
    caller.userId,
  );
  const tally = new FileTally();
  await using lines = new LineWriter();
  using progress = openProgressLine();
  const total = process.stderr.isTTY ? await countFiles(paths, avoid, signal, progress) : 0;
  const uploader = { accountId: caller.userId, isTrial };
  const origin = { details: { by: "import" } };
  await importPaths(
    deps,
    { caller, uploader, origin, signal },
    {
      paths,
      avoid,
      journal,
      beforeUpload: () => node.assertHeld(),
      async onReport(report) {
        tally.add(report);
        progress.show(`Importing: ${barOf(tally.files, total)} of ${counted(total, "file")}`);
        await lines.add(asJson ? jsonOf(report) : lineOf(report));
      },
    },
  );
  const { counts, instances } = tally;
  await lines.add(
    asJson
      ? JSON.stringify({ summary: { ...counts, instances } })
      : `${Object.entries(counts)
          .map(([outcome, count]) => `${count} ${outcome}`)
          .join(", ")}. ${counted(instances, "instance")} came in.`,
  );
  if (counts.refused > 0) return 1;
  await journal.remove();
  return 0;
}

async function foresee(
  config: ReachedConfig,
  program: Program,
  { email, paths, avoid, asJson }: Job,
  signal: AbortSignal,
): Promise<number> {
  const pool = connectDatabase({ url: config.databaseUrl, maxConnections: 2 });
  const ingestWorkers = createIngestWorkers({
    size: 2,
    log: commandLog,
    command: program.ingestWorkerCommand,
  });
  try {
    const account = await findUploader(pool.db, email, new Date());
    const tally = new FileTally();
    await using lines = new LineWriter();
    const { db } = pool;
    const sums = { studies: 0, instances: 0, bytes: 0, refusedStudies: 0 };
    const foreseen = dryRun({
      db,
      ingestWorkers,
      disk: createDiskRoom({ spareBytes: 0, readSpace: () => spaceOf(tmpdir()) }),
      account,
      paths,
      avoid,
      signal,
      async onReport(report) {
        tally.add(report);
        await lines.add(asJson ? jsonOf(report) : lineOf(report));
      },
    });
    for await (const study of foreseen) {
      sums.studies++;
      sums.instances += study.instances;
      sums.bytes += study.bytes;
      if (study.state === "refused") sums.refusedStudies++;
      await lines.add(asJson ? JSON.stringify(study) : studyLine(study));
    }
    const { skipped, refused } = tally.counts;
    await lines.add(
      asJson
        ? JSON.stringify({ summary: { ...sums, skipped, refused } })
        : `Nothing was stored. ${counted(sums.studies, "study", "studies")}, ${counted(sums.instances, "instance")}, ${sizeText(sums.bytes)}; ${counted(sums.refusedStudies, "study exceeds", "studies exceed")} the plan; ${counted(skipped, "file")} skipped, ${refused} refused.`,
    );
    return sums.refusedStudies + refused > 0 ? 1 : 0;
  } finally {
    await ingestWorkers.close();
    await pool.close();
  }
}

async function countFiles(
  paths: string[],
  avoid: string,
  signal: AbortSignal,
  progress: ProgressLine,
): Promise<number> {
  let files = 0;
  for await (const _ of walkPaths(paths, { avoid, signal }))
    progress.show(`Counting: ${counted(++files, "file")}`);
  return files;
}

function jsonOf(report: FileReport): string {
  return JSON.stringify({ ...report, path: readablePath(report.path) });
}

function lineOf({ path, outcome, reason, instances }: FileReport): string {
  const about = reason ?? (instances === undefined ? undefined : counted(instances, "instance"));
  return `${outcome}${about === undefined ? "" : ` (${about})`}: ${inOneLine(readablePath(path))}`;
}

function studyLine({ studyInstanceUID, instances, bytes, state, reason }: ForeseenStudy): string {
  const name = studyInstanceUID === "" ? "of unknown studies" : studyInstanceUID;
  return `${state}${reason === undefined ? "" : ` (${reason})`}: ${name}, ${counted(instances, "instance")}, ${sizeText(bytes)}`;
}

/** A name may hold line breaks, and commands for a terminal. */
function inOneLine(path: string): string {
  return /\p{Cc}/u.test(path) ? JSON.stringify(path) : path;
}

function readOptions(args: string[]): Options {
  const { values, positionals } = parseOptions({
    args,
    allowPositionals: true,
    options: {
      account: { type: "string" },
      "dry-run": { type: "boolean" },
      json: { type: "boolean" },
      state: { type: "string" },
    },
  });
  if (positionals.length === 0) throw new UsageError("import takes one or more folders or ZIPs");
  return {
    email: checked("--account", emailSchema.safeParse(values.account)),
    paths: positionals,
    asJson: values.json === true,
    isDryRun: values["dry-run"] === true,
    state: values.state,
  };
}
