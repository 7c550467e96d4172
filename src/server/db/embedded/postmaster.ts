import { readFile, rm, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { errnoOf } from "../../storage/disk/fs-failure.ts";

/** What PostgreSQL's server process (the postmaster) writes about itself in `postmaster.pid`. */
export interface Postmaster {
  pid: number;
  socketFolder: string;
  /** `ready` once it accepts connections. */
  status: string;
}

/** The port is part of the name of the socket's file; PostgreSQL opens no network port here. */
const SOCKET_NAME = ".s.PGSQL.5432";

/** An address for `openPostgres`: a URL that names a socket's folder as libpq does. */
export function socketUrl(socketFolder: string): string {
  return `postgres://postgres@localhost/postgres?host=${encodeURIComponent(socketFolder)}`;
}

/** The postmaster that holds this data folder now, or `undefined`. */
export async function findPostmaster(dataFolder: string): Promise<Postmaster | undefined> {
  const postmaster = await readPidFile(dataFolder);
  if (!postmaster) return undefined;
  const isAlive =
    (await isPostgresOf(dataFolder, postmaster.pid)) || (await acceptsConnections(postmaster.socketFolder));
  return isAlive ? postmaster : undefined;
}

/**
 * Removes the pid file of a postmaster that no longer runs. PostgreSQL does so itself, unless another process of its
 * user has that pid by now, which is usual in a container, where pids start from 1 each time.
 */
export async function removeStalePidFile(dataFolder: string): Promise<void> {
  if ((await readPidFile(dataFolder)) && !(await findPostmaster(dataFolder))) {
    await rm(pidFile(dataFolder), { force: true });
  }
}

/**
 * Removes the lock beside the socket of a postmaster that was killed. PostgreSQL refuses to start if the pid in it
 * belongs to another process by now, or to a zombie that no init collects. The folder is used for this data only.
 */
export async function removeStaleSocketLock(socketFolder: string, dataFolder: string): Promise<void> {
  const path = join(socketFolder, `${SOCKET_NAME}.lock`);
  const lock = await readLockFile(path);
  if (!lock || (await isPostgresOf(dataFolder, lock.pid)) || (await acceptsConnections(socketFolder))) return;
  await rm(path, { force: true });
}

export function readPidFile(dataFolder: string): Promise<Postmaster | undefined> {
  return readLockFile(pidFile(dataFolder));
}

/** Reads a lock file (PostgreSQL, `src/include/utils/pidfile.h`): pid, data, start, port, socket folder, …, status. */
async function readLockFile(path: string): Promise<Postmaster | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid < 1) return undefined;
  return { pid, socketFolder: lines[4] ?? "", status: (lines[7] ?? "").trim() };
}

/** Whether a server answers on the socket in that folder. */
export function acceptsConnections(socketFolder: string): Promise<boolean> {
  if (!socketFolder.startsWith("/")) return Promise.resolve(false);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(join(socketFolder, SOCKET_NAME));
  socket.once("connect", () => resolve(true));
  socket.once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

function pidFile(dataFolder: string): string {
  return join(dataFolder, "postmaster.pid");
}

/** Whether that process runs and is a PostgreSQL on this data: each works in its data folder. */
async function isPostgresOf(dataFolder: string, pid: number): Promise<boolean> {
  if (!(await isPostgres(pid))) return false;
  try {
    const [its, ours] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(dataFolder)]);
    return its.dev === ours.dev && its.ino === ours.ino;
  } catch (error) {
    const code = errnoOf(error);
    // Another account's folder may be hidden.
    return code !== "ENOENT" && code !== "ESRCH" && (await runsAsOwner(dataFolder, pid));
  }
}

/** Whether that process may work on the data: PostgreSQL takes none of another account. From proc(5) `status`. */
async function runsAsOwner(dataFolder: string, pid: number): Promise<boolean> {
  const [status, { uid }] = await Promise.all([
    readFile(`/proc/${pid}/status`, "utf8").catch(() => ""),
    stat(dataFolder),
  ]);
  const [, effective] = /^Uid:\t\d+\t(\d+)/m.exec(status) ?? [];
  return effective === undefined || Number(effective) === uid;
}

/** From proc(5) `stat`: pid, name, state; `Z` has ended and waits to be collected. */
async function isPostgres(pid: number): Promise<boolean> {
  try {
    return /^\d+ \(postgres\) [^ZX]/.test(await readFile(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT" || code === "ESRCH") return false;
    throw error;
  }
}
