import { chmod, lstat, mkdtemp, readdir, readlink, rm, utimes } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { HOUR_MS, MINUTE_MS } from "../../shared/units.ts";
import { errnoOf, isAbsent } from "../storage/disk/fs-failure.ts";

/** Where its process is, and the process, are part of its name: that number means another process in another container. */
const NAME = /^exameteca-rehearsal-([0-9a-f]{8})-(\d+)-\w+$/;
const TOUCHED_EVERY_MS = MINUTE_MS;
/** A folder of a process that can't be seen from here is left behind if it was not touched for so long. */
const LEFT_AFTER_MS = HOUR_MS;
/** PostgreSQL outlives its killed program for a moment, and may still write to the folder. */
const RETRIES = { maxRetries: 10, retryDelay: 100 };

/** Makes a new folder below `TMPDIR`, which disposal removes. What a killed rehearsal left there is removed before: it holds exams. */
export async function makeRehearsalFolder(): Promise<{ path: string } & AsyncDisposable> {
  const place = await placeOfProcesses();
  await removeLeftovers(place);
  const path = await mkdtemp(join(tmpdir(), `exameteca-rehearsal-${place}-${process.pid}-`));
  // As root, PostgreSQL runs as another account, which must be able to enter its folder.
  await chmod(path, 0o711);
  const touching = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {}); // the next one comes in a minute
  }, TOUCHED_EVERY_MS);
  return {
    path,
    async [Symbol.asyncDispose]() {
      clearInterval(touching);
      await rm(path, { recursive: true });
    },
  };
}

/** Names the machine, or the container, within which a number names one process. */
async function placeOfProcesses(): Promise<string> {
  const namespace = await readlink("/proc/self/ns/pid").catch(() => ""); // other systems have none
  return new Bun.CryptoHasher("sha256").update(`${hostname()} ${namespace}`).digest("hex").slice(0, 8);
}

async function removeLeftovers(place: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, itsPlace, pid] = NAME.exec(name) ?? [];
    const path = join(tmpdir(), name);
    if (itsPlace === undefined || (itsPlace === place && isRunning(Number(pid)))) continue;
    const touchedAt = await ownFolderTouchedAt(path);
    const isLeft = itsPlace === place || (touchedAt ?? 0) < Date.now() - LEFT_AFTER_MS;
    if (touchedAt !== undefined && isLeft) await rm(path, { recursive: true, force: true, ...RETRIES });
  }
}

/** When a folder of this user was last touched; undefined if it is none. */
async function ownFolderTouchedAt(path: string): Promise<number | undefined> {
  try {
    const found = await lstat(path);
    return found.isDirectory() && found.uid === process.getuid?.() ? found.mtimeMs : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
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
