import type { BuiltAssets } from "../app.ts";
import { ConfigError, readConfig } from "../config.ts";
import {
  DataDirInUse,
  DataDirUnreachable,
  PostgresStartFailed,
  WrongPostgresMajor,
} from "../db/embedded/embedded.errors.ts";
import type { DepsOverrides } from "../deps.ts";
import { migrateOnly } from "./migrate-only.ts";
import { serve } from "./serve.ts";
import { UsageError } from "./usage.ts";
import { userCommand } from "./user-command.ts";

/** What the build brings: folders beside the source, or files inside the executable. */
export interface Program extends Pick<DepsOverrides, "postgresBinaries" | "ingestWorkerCommand"> {
  /** Read only by `serve`. */
  assets(): BuiltAssets;
}

const usage = `Usage: exameteca [command]

  serve                 start the server (default)
  migrate               bring the database up to date and exit
  user add              --email E [--name N] [--role admin|user|doctor|lab] [--password P]
  user set              --email E [--password P] [--new-email E]

Settings come from the environment; the README has the table.`;

/**
 * Runs a subcommand and returns the exit code: 0, 1 where it failed, 2 where it was called or configured wrongly.
 */
export async function run(program: Program, args: string[], environment = process.env): Promise<number> {
  const [command = "serve", ...rest] = args;
  try {
    if (["help", "--help", "-h"].includes(command)) return tell(usage);
    const config = readConfig(environment);
    if (command === "serve") return await serve(program, config);
    if (command === "migrate") return await migrateOnly(program, config);
    if (command === "user") return await userCommand(program, config, rest);
    throw new UsageError(`There is no command "${command}".`);
  } catch (error) {
    return explain(error);
  }
}

function tell(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function explain(error: unknown): number {
  if (error instanceof ConfigError) {
    const lines = error.problems.map((problem) => `  - ${problem}`).join("\n");
    process.stderr.write(`The configuration is not valid:\n${lines}\n`);
    return 2;
  }
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${usage}\n`);
    return 2;
  }
  const isExplained =
    error instanceof DataDirInUse ||
    error instanceof DataDirUnreachable ||
    error instanceof WrongPostgresMajor ||
    error instanceof PostgresStartFailed;
  process.stderr.write(`${isExplained ? error.message : Bun.inspect(error)}\n`);
  return 1;
}
