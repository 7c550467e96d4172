import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Account } from "./account.ts";
import type { SocketFolder } from "./socket-folder.ts";

/** Modest memory (the whole idle server has 140 MB), full durability, and a log that quotes no statement. */
const SETTINGS = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  shared_buffers: "64MB",
  max_connections: "60",
  work_mem: "4MB",
  maintenance_work_mem: "32MB",
  max_wal_size: "256MB",
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  jit: "off",
  io_method: "sync",
  huge_pages: "off",
  random_page_cost: "1.1",
  max_parallel_workers_per_gather: "0",
  max_logical_replication_workers: "0",
  autovacuum: "on",
  autovacuum_max_workers: "2",
  // The functions of the jobs' schema are in it: each session would load it anew.
  shared_preload_libraries: "plpgsql",
  timezone: "UTC",
  log_timezone: "UTC",
  // Errors reach the caller through the driver; in the log they would quote patients' data.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
} as const;

export type ServerSettings = Partial<Record<keyof typeof SETTINGS, string>>;

/**
 * Starts PostgreSQL ($2…) as a child, prints its pid, and stops it when standard input ends: `stop` closes it on
 * purpose, and the kernel closes it when this process dies, even of kill -9. Then removes the folder $1, if given.
 */
const WATCHER = `
folder=$1; shift
exec 3<&0 </dev/null
"$@" 3<&- >&2 &
pid=$!
echo "$pid"
{ read -r _ <&3; kill -INT "$pid"; } >/dev/null 2>&1 &
guard=$!
exec 3<&- >/dev/null
wait "$pid"
status=$?
kill "$guard" 2>/dev/null
[ -z "$folder" ] || rmdir "$folder"
exit "$status"
`;

/** A PostgreSQL server that this process runs, with its watcher, in a session of its own. */
export interface ServerProcess {
  /** The postmaster's pid. */
  pid: Promise<number | undefined>;
  /** Resolves with the exit code once the server has ended. */
  exited: Promise<number>;
  /** The end of its output. */
  output(): string;
  /** Requests a fast shutdown: ends sessions, writes a checkpoint. */
  requestStop(): void;
}

const OUTPUT_CHARS = 4000;

export function spawnServer(options: {
  programs: string;
  dataFolder: string;
  socketFolder: SocketFolder;
  account: Account | undefined;
  settings?: ServerSettings;
  onOutput: (text: Uint8Array) => void;
}): ServerProcess {
  const { programs, dataFolder, socketFolder, account, settings, onOutput } = options;
  const flags = Object.entries({ ...SETTINGS, ...settings }).flatMap(([key, value]) => [
    "-c",
    `${key}=${value}`,
  ]);
  const server = [join(programs, "bin/postgres"), "-D", dataFolder, "-k", socketFolder.path, ...flags];
  const child = spawn(
    "/bin/sh",
    ["-c", WATCHER, "exameteca-postgres", socketFolder.temporary ? socketFolder.path : "", ...server],
    {
      ...asAccount(account),
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  let output = "";
  child.stderr.on("data", (text: Buffer) => {
    output = (output + text.toString()).slice(-OUTPUT_CHARS);
    onOutput(text);
  });
  const pid = Promise.withResolvers<number | undefined>();
  const exited = Promise.withResolvers<number>();
  child.stdout.once("data", (line: Buffer) => pid.resolve(Number(line.toString())));
  child.once("error", exited.reject);
  child.once("exit", (code) => {
    pid.resolve(undefined);
    exited.resolve(code ?? -1);
  });
  return {
    pid: pid.promise,
    exited: exited.promise,
    output: () => output,
    requestStop: () => child.stdin.end(),
  };
}

/** Spawn options that run a program as the account, without the environment of this process. */
export function asAccount(account: Account | undefined) {
  return {
    ...(account && { uid: account.uid, gid: account.gid }),
    env: { LANG: "C", TZ: "UTC", PATH: "/usr/bin:/bin" },
    cwd: "/",
  };
}
