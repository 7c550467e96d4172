import { mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Logger } from "../../runtime/log.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";
import { errnoOf } from "../../storage/disk/fs-failure.ts";
import { allowPassage, chooseAccount } from "./account.ts";
import {
  installBinaries,
  installedBinaries,
  type PostgresBinaries,
  removeOtherVersions,
} from "./binaries.ts";
import { BoundedLog } from "./bounded-log.ts";
import { assertMajor, clusterMajor, createCluster, removeLeftovers } from "./cluster.ts";
import { DataAway, DataDirInUse, PostgresStartFailed } from "./embedded.errors.ts";
import { isKept } from "./keeper.ts";
import {
  acceptsConnections,
  findPostmaster,
  readPidFile,
  removeStalePidFile,
  removeStaleSocketLock,
  socketUrl,
} from "./postmaster.ts";
import { type ServerProcess, type ServerSettings, spawnServer } from "./server-process.ts";
import { makeSocketFolder, type SocketFolder } from "./socket-folder.ts";

/** A running PostgreSQL on `DATA_DIR/postgres`, reached through a unix socket. */
export interface EmbeddedPostgres {
  /** An address for `openPostgres`. */
  url: string;
  /** Whether another process runs it; `stop` then leaves it running. */
  attached: boolean;
  /** Resolves with the exit code when the server ends, whether requested or not. Never resolves for an attached server. */
  exited: Promise<number>;
  /** Ends sessions, writes a checkpoint, and resolves when the server has ended. Idempotent. */
  stop(): Promise<void>;
}

/** One that this process runs. */
export interface StartedPostgres extends EmbeddedPostgres {
  socketFolder: SocketFolder;
}

export interface EmbeddedPostgresOptions {
  dataDir: string;
  log: Logger;
  /** By default, the binaries that npm installed. */
  binaries?: PostgresBinaries;
  /** How long to wait for a previous process that is still stopping. */
  predecessorTimeoutMs?: number;
  settings?: ServerSettings;
  /** That of a former run, so that its address stays good. */
  socketFolder?: SocketFolder;
}

const PREDECESSOR_TIMEOUT_MS = 15_000;
/** After a crash, replaying at most `max_wal_size` of WAL takes seconds, on a slow disk perhaps a minute. */
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 8_000;
const POLL_MS = 5;
const PREDECESSOR_POLL_MS = 50;

/**
 * Runs PostgreSQL on `dataDir/postgres`, and creates the data first if there are none. The server ends with this
 * process, however this process dies.
 * @throws {DataAway} if there are no data, though there was a former run
 * @throws {DataDirInUse} if another process holds the data and does not release them in time
 * @throws {WrongPostgresMajor | DataDirUnreachable | PostgresBinariesMissing | AccountWithoutName | PostgresStartFailed}
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<StartedPostgres> {
  const { log, predecessorTimeoutMs = PREDECESSOR_TIMEOUT_MS } = options;
  const dataDir = resolve(options.dataDir);
  const startedAt = performance.now();
  // Their disk is away: new data would stand in their place, and an empty archive would answer.
  if (options.socketFolder && !(await hasCluster(dataDir))) throw new DataAway(dataDir);
  const site = await prepareSite(dataDir, options.binaries ?? (await installedBinaries()));
  const logFile = new BoundedLog(join(site.root, "log"), "postgres.log");
  const deadlineMs = performance.now() + predecessorTimeoutMs;
  for (;;) {
    await waitForPredecessor(dataDir, site, deadlineMs, options.socketFolder !== undefined);
    const socketFolder = await makeSocketFolder(site.root, site.account, options.socketFolder);
    await removeStaleSocketLock(socketFolder.path, site.dataFolder);
    const server = spawnServer({
      ...site,
      socketFolder,
      settings: options.settings,
      onOutput: (text) => logFile.write(text),
    });
    if (await becomesReady(server, site.dataFolder)) {
      await removeOtherVersions(site.root, site.version);
      log.info("postgres.started", { milliseconds: Math.round(performance.now() - startedAt) });
      return {
        url: socketUrl(socketFolder.path),
        socketFolder,
        attached: false,
        exited: server.exited,
        stop: () => stop(server),
      };
    }
    // Another process took the data first: wait for it as for any previous process.
    if (!(await findPostmaster(site.dataFolder))) {
      throw new PostgresStartFailed("postgres", await server.exited, server.output());
    }
  }
}

/** Whether `dataDir` has the data of a PostgreSQL, which may be one of another version. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return (await clusterMajor(join(resolve(dataDir), "postgres", "data"))) !== undefined;
}

/** For a subcommand: uses the PostgreSQL that another process keeps on `dataDir`, else starts one for itself. */
export async function attachOrStart(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const root = join(resolve(options.dataDir), "postgres");
  const dataFolder = join(root, "data");
  const deadlineMs = performance.now() + (options.predecessorTimeoutMs ?? PREDECESSOR_TIMEOUT_MS);
  for (;;) {
    const running = await findPostmaster(dataFolder);
    if (running?.status === "ready" && (await acceptsConnections(running.socketFolder))) {
      const never = Promise.withResolvers<number>().promise;
      return { url: socketUrl(running.socketFolder), attached: true, exited: never, stop: async () => {} };
    }
    if (!running && !(await isKept(root))) break;
    if (running?.status === "stopping" || performance.now() > deadlineMs) break;
    await Bun.sleep(running ? POLL_MS : PREDECESSOR_POLL_MS);
  }
  return startEmbeddedPostgres(options);
}

/** Prepares the folders, the permissions on the way to them, the programs and the data. */
async function prepareSite(dataDir: string, binaries: PostgresBinaries) {
  const root = join(dataDir, "postgres");
  const dataFolder = join(root, "data");
  await mkdir(dirname(dataDir), { recursive: true });
  await mkdir(root, { recursive: true, mode: 0o700 });
  const account = await chooseAccount(dataFolder, await ownerOf(dataFolder));
  await allowPassage(account, [dataDir, root]);
  await removeLeftovers(root);
  assertMajor(dataDir, await clusterMajor(dataFolder), binaries.version);
  const programs = await installBinaries(binaries, root);
  if ((await clusterMajor(dataFolder)) === undefined) await createCluster(dataFolder, programs, account);
  return { root, dataFolder, account, programs, version: binaries.version };
}

async function ownerOf(folder: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    return await stat(folder);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** @param isKeeper whether this process is the one that keeps the data */
async function waitForPredecessor(
  dataDir: string,
  { root, dataFolder }: { root: string; dataFolder: string },
  deadlineMs: number,
  isKeeper: boolean,
): Promise<void> {
  for (;;) {
    const running = await findPostmaster(dataFolder);
    if (!running && (isKeeper || !(await isKept(root)))) break;
    if (performance.now() >= deadlineMs) throw new DataDirInUse(dataDir, running?.pid);
    await Bun.sleep(PREDECESSOR_POLL_MS);
  }
  await removeStalePidFile(dataFolder);
}

/** Whether the server came up; `false` if it has ended. @throws {PostgresStartFailed} if neither happens in time */
async function becomesReady(server: ServerProcess, dataFolder: string): Promise<boolean> {
  let ended = false;
  const end = server.exited.finally(() => {
    ended = true;
  });
  const pid = await Promise.race([server.pid, end.then(() => undefined)]);
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  while (!ended) {
    const written = await readPidFile(dataFolder);
    if (written?.pid === pid && written?.status === "ready") return true;
    if (performance.now() > deadlineMs) {
      server.requestStop();
      throw new PostgresStartFailed("postgres", null, server.output());
    }
    await Bun.sleep(POLL_MS);
  }
  return false;
}

async function stop(server: ServerProcess): Promise<void> {
  server.requestStop();
  if (await withTimeout(server.exited, STOP_TIMEOUT_MS)) return;
  // An immediate shutdown loses nothing that was acknowledged: the next start replays the WAL.
  const pid = await server.pid;
  if (pid !== undefined) process.kill(pid, "SIGQUIT");
  await server.exited;
}
