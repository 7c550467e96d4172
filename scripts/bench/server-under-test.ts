import { closeSync, openSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";

/** The whole product as a process tree of its own. */
export interface ServerUnderTest extends AsyncDisposable {
  url: string;
  pid: number;
  dataDir: string;
  /** From the start of the process to the first 200 of `/api/health`. */
  startMs: number;
}

export const ADMIN = { email: "admin@exameteca.test", password: "senha da medida" } as const;

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 2;

/** The executable where BENCH_EXECUTABLE names one, else the program from source. */
export function serverCommand(): string[] {
  const executable = process.env.BENCH_EXECUTABLE;
  if (executable) return [resolve(executable), "serve"];
  return [process.execPath, join(import.meta.dir, "../../src/server/main.ts"), "serve"];
}

/**
 * Starts the server on `dataDir` with its default settings and waits until it is healthy. It makes no lossless copies unless the
 * measure is about them, since it would make them beside what is measured.
 */
export async function startServerUnderTest(
  dataDir: string,
  { derivatives = "off" }: { derivatives?: "on" | "off" } = {},
): Promise<ServerUnderTest> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const logPath = join(dataDir, `bench-${Date.now()}.log`);
  const log = openSync(logPath, "wx", 0o600);
  const startedAt = performance.now();
  const child = Bun.spawn(serverCommand(), {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: "0",
      DATA_DIR: dataDir,
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      TWO_FACTOR: "off",
      TRUST_PROXY: "127.0.0.1",
      DERIVATIVES: derivatives,
    },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const stop = async () => {
    child.kill("SIGTERM");
    const hasEnded = child.exited.then(() => true);
    const isLate = Bun.sleep(STOP_TIMEOUT_MS).then(() => false);
    if (!(await Promise.race([hasEnded, isLate]))) child.kill("SIGKILL");
    await child.exited;
  };
  try {
    const url = await waitUntilHealthy(logPath, () => child.exitCode !== null);
    const startMs = performance.now() - startedAt;
    return { url, pid: child.pid, dataDir, startMs, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function waitUntilHealthy(logPath: string, hasEnded: () => boolean): Promise<string> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline && !hasEnded()) {
    const url = /is ready at (http:\S+)/.exec(await Bun.file(logPath).text())?.[1];
    if (url && (await fetch(`${url}/api/health`)).ok) return url;
    await Bun.sleep(POLL_MS);
  }
  throw new Error(`the server did not become healthy:\n${(await Bun.file(logPath).text()).slice(-2000)}`);
}
