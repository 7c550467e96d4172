import { chmod, lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errnoOf, isAbsent } from "../storage/disk/fs-failure.ts";

/** Its process is part of its name. */
const NAME = /^exameteca-rehearsal-(\d+)-\w+$/;
/** A PostgreSQL whose program was killed may still be ending in a folder that is removed. */
const RETRIES = { maxRetries: 10, retryDelay: 100 };

/** Makes a new folder below `TMPDIR`, which disposal removes. What a killed rehearsal left there is removed before: it holds exams. */
export async function makeRehearsalFolder(): Promise<{ path: string } & AsyncDisposable> {
  await removeLeftovers();
  const path = await mkdtemp(join(tmpdir(), `exameteca-rehearsal-${process.pid}-`));
  // As root, PostgreSQL runs as another account, which must be able to enter its folder.
  await chmod(path, 0o711);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = NAME.exec(name) ?? [];
    const path = join(tmpdir(), name);
    if (pid === undefined || isRunning(Number(pid)) || !(await isOwnFolder(path))) continue;
    await rm(path, { recursive: true, force: true, ...RETRIES });
  }
}

async function isOwnFolder(path: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    return found.isDirectory() && found.uid === process.getuid?.();
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** Whether a process that has a folder runs; this one has none yet. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}
