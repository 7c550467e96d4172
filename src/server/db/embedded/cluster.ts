import { spawn } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errnoOf } from "../../storage/disk/fs-failure.ts";
import { type Account, changeOwner } from "./account.ts";
import { syncPath } from "./binaries.ts";
import {
  AccountWithoutName,
  DataDirReadByShell,
  PostgresStartFailed,
  WrongPostgresMajor,
} from "./embedded.errors.ts";
import { asAccount } from "./server-process.ts";

const LEFTOVER_AGE_MS = 60 * 60 * 1000;

/**
 * Creates the data folder (`initdb`) if there is none; it appears whole or not at all. Connections are trusted because
 * only PostgreSQL's account can enter the socket's folder.
 */
export async function createCluster(
  dataFolder: string,
  programs: string,
  account: Account | undefined,
): Promise<void> {
  const root = dirname(dataFolder);
  const made = await mkdtemp(join(root, ".initdb-"));
  try {
    await chmod(made, 0o700);
    await changeOwner(account, made);
    await runInitdb(programs, made, account);
    await rename(made, dataFolder);
    await syncPath(root);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    // A process that started at the same time was first: its folder is equivalent.
    if ((await clusterMajor(dataFolder)) === undefined) throw error;
  }
}

/** The major version that created the data folder, or `undefined` if there are no data yet. */
export async function clusterMajor(dataFolder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataFolder, "PG_VERSION"), "utf8")).trim();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** @throws {WrongPostgresMajor} if another major version created the data */
export function assertMajor(dataDir: string, found: string | undefined, version: string): void {
  const expected = version.split(".")[0] ?? version;
  if (found !== undefined && found !== expected) throw new WrongPostgresMajor(dataDir, found, expected);
}

/** Removes what killed installations and killed runs of `initdb` left behind; recent ones may still be running. */
export async function removeLeftovers(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!/^\.(install|initdb)-/.test(name)) continue;
    const { mtimeMs } = await stat(join(root, name));
    if (Date.now() - mtimeMs > LEFTOVER_AGE_MS) await rm(join(root, name), { recursive: true, force: true });
  }
}

/** initdb starts PostgreSQL by a shell, with its path between double quotes. */
const READ_BY_SHELL = /[$`"\\]/;

async function runInitdb(programs: string, dataFolder: string, account: Account | undefined): Promise<void> {
  const child = spawn(
    join(programs, "bin/initdb"),
    [
      "-D",
      dataFolder,
      "-U",
      "postgres",
      "--auth=trust",
      "--encoding=UTF8",
      "--no-instructions",
      // PostgreSQL's own collation: the same order and case rules whatever locales the machine has.
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
    ],
    { ...asAccount(account), stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text: Buffer) => {
      output = (output + text.toString()).slice(-4000);
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once("error", reject);
  child.once("close", resolve);
  const exitCode = await promise;
  if (exitCode === 0) return;
  if (READ_BY_SHELL.test(programs)) throw new DataDirReadByShell(programs);
  const nameless = /could not look up effective user ID (\d+)/.exec(output)?.[1];
  throw nameless
    ? new AccountWithoutName(Number(nameless))
    : new PostgresStartFailed("initdb", exitCode, output);
}
