import { readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { errnoOf, isAbsent } from "../../../storage/disk/fs-failure.ts";
import { FolderIsBusy } from "../safekeeping.errors.ts";

/** Names the process that writes a backup, of whatever installation. */
const HOLD = "running";
/** Another process may end its backup between two looks. */
const MAX_TRIES = 3;
/** Processes that were killed one after the other while each took over what the one before had left. */
const MAX_KILLED = 3;
/** Tells this process from an earlier one that had its number, as each has in a container that was started again. */
const RUN = Bun.randomUUIDv7();

/**
 * Keeps other backups out of the folder until it is disposed. What a killed process of this machine left is taken over.
 * @throws {FolderIsBusy}
 */
export async function holdFolder(root: string): Promise<AsyncDisposable> {
  const path = join(root, HOLD);
  await hold(path, `process ${process.pid} on ${hostname()}, run ${RUN}`, MAX_KILLED);
  return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
}

/** Creates the file `path`. @throws {FolderIsBusy} */
async function hold(path: string, holder: string, mostKilled: number): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      await writeFile(path, holder, { flag: "wx", mode: 0o600 });
      return;
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
      const other = await readHolder(path);
      if (other === undefined) continue;
      if (!isDead(other) || mostKilled === 0) throw new FolderIsBusy(path, other.slice(0, 300));
      // Who removes it must be alone, or would remove what another process has put in its place since it was read.
      const turn = `${path}.next`;
      await hold(turn, holder, mostKilled - 1);
      try {
        if ((await readHolder(path)) === other) await rm(path);
      } finally {
        await rm(turn);
      }
    }
  }
  throw new FolderIsBusy(path, "many at once");
}

async function readHolder(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Whether a process of this machine left its name and is gone. */
function isDead(holder: string): boolean {
  const [, pid, host, run] = /^process ([0-9]+) on (.+?)(?:, run (\S+))?$/.exec(holder) ?? [];
  if (host !== hostname() || pid === undefined) return false;
  if (Number(pid) === process.pid) return run !== RUN;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return errnoOf(error) === "ESRCH";
  }
}
