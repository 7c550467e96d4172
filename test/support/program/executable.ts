import { spawn } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, mkdtempSync, readlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { processesNaming } from "./process-tree.ts";

/** The account that the executable runs as. */
export interface Account {
  name: string;
  /** Unset: the account that runs the tests. */
  uid?: number;
  gid?: number;
}

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;

export const accounts: Account[] = isRoot
  ? [{ name: "root" }, { name: "an ordinary user", uid: NOBODY, gid: NOBODY }]
  : [{ name: "an ordinary user" }];

const BUILT = resolve(import.meta.dir, "../../../dist/quick/exameteca");
const START_TIMEOUT_MS = 120_000;

/** Builds the executable if it is missing or older than its sources. */
export function buildExecutableIfStale(): void {
  const { exitCode, stderr } = Bun.spawnSync(
    [process.execPath, resolve(import.meta.dir, "../../../scripts/build.ts"), "--quick"],
    {
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  if (exitCode !== 0) throw new Error(`the build failed:\n${stderr}`);
}

export interface InstalledExecutable extends AsyncDisposable {
  folder: string;
  /** The copy of the executable in that folder. */
  path: string;
  start(): Promise<RunningExecutable>;
  /** Runs a subcommand beside it. */
  run(...args: string[]): Promise<{ code: number; output: string }>;
  /** Processes of any kind that were started from this folder and still run. */
  processes(): number[];
}

export interface RunningExecutable extends AsyncDisposable {
  url: string;
  pid: number;
  adminPassword: string | undefined;
  /** From the start of the process to the first 200 of its health check. */
  healthyAfterMs: number;
  /** Resolves with the exit code, or the signal it died of, once it has ended. */
  kill(signal: "SIGTERM" | "SIGKILL"): Promise<number | string>;
}

/** A copy of the executable, alone in a folder that belongs to the account. */
export function installExecutable(account: Account): InstalledExecutable {
  const folder = mkdtempSync(join(tmpdir(), "exameteca-executable-"));
  const executable = join(folder, "exameteca");
  copyFileSync(BUILT, executable);
  // PostgreSQL, which root hands to another account, must get through.
  if (isRoot && account.uid === undefined) chmodSync(folder, 0o755);
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid ?? account.uid);

  // The environment has only the port: no HOME, no PATH.
  const launch = (...args: string[]) =>
    spawn(executable, args, {
      cwd: folder,
      env: { PORT: "0" },
      uid: account.uid,
      gid: account.gid,
      stdio: ["ignore", "pipe", "pipe"],
    });

  return {
    folder,
    path: executable,
    start: () => follow(launch()),
    async run(...args) {
      const { ended, output } = watch(launch(...args));
      const code = Number(await ended);
      return { code, output: output() };
    },
    processes() {
      const named = processesNaming(folder);
      return processesNaming("").filter(
        (pid) => named.includes(pid) || programOf(pid).startsWith(`${folder}/`),
      );
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Empty for a process that is not ours to look at, or gone. */
function programOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}

type Child = ReturnType<typeof spawn>;

function watch(child: Child) {
  let output = "";
  const take = (text: Buffer) => {
    output = (output + text.toString()).slice(-1_000_000);
  };
  child.stdout?.on("data", take);
  child.stderr?.on("data", take);
  const ended = new Promise<number | string>((fulfil, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => fulfil(code ?? signal ?? ""));
  });
  return { ended, output: () => output };
}

async function follow(child: Child): Promise<RunningExecutable> {
  const startedAt = performance.now();
  const { ended, output } = watch(child);
  const greeting = / is ready at (http:\S+)(?: \(admin: \S+, password: (\S+))?/;
  const deadline = startedAt + START_TIMEOUT_MS;
  const isOver = ended.then(() => true);
  for (let greeted = greeting.exec(output()); ; greeted = greeting.exec(output())) {
    if (greeted?.[1]) {
      const [, url, adminPassword] = greeted;
      const health = await fetch(`${url}/api/health`);
      if (health.status !== 200) throw new Error(`it is not healthy: ${await health.text()}`);
      return running(child, { url, adminPassword, healthyAfterMs: performance.now() - startedAt }, ended);
    }
    const hasEnded = await Promise.race([isOver, Bun.sleep(5)]);
    if (hasEnded || performance.now() > deadline) throw new Error(`it did not start:\n${output()}`);
  }
}

function running(
  child: Child,
  greeting: Pick<RunningExecutable, "url" | "adminPassword" | "healthyAfterMs">,
  ended: Promise<number | string>,
): RunningExecutable {
  const kill: RunningExecutable["kill"] = (signal) => {
    child.kill(signal);
    return ended;
  };
  return {
    ...greeting,
    pid: child.pid ?? 0,
    kill,
    async [Symbol.asyncDispose]() {
      await kill("SIGTERM");
    },
  };
}
