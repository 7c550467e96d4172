import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { join } from "node:path";
import { startProgram } from "../../support/program/run-program.ts";
import { spawnServer } from "../../support/program/server-process.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const TIMEOUT_MS = 120_000;
const interrupts = join(import.meta.dir, "../../../src/server/cli/interrupts.ts");

/** Sends a signal every 20 ms, until the process has ended. */
async function signalUntilEnded(child: { pid: number; exited: Promise<number> }, signal: NodeJS.Signals) {
  let isEnded = false;
  child.exited.then(() => {
    isEnded = true;
  });
  for (let sent = 0; sent < 500 && !isEnded; sent++) {
    process.kill(child.pid, signal);
    await Bun.sleep(20);
  }
  return await child.exited;
}

test(
  "a server that is asked again while it stops, as by Ctrl-C in `bun run start`, stops cleanly",
  async () => {
    await using folder = createTempFolder();
    await using server = await spawnServer(folder.path);
    expect(await signalUntilEnded(server, "SIGINT")).toBe(0);
    expect(server.log()).toContain("server.stopping");
  },
  TIMEOUT_MS,
);

test(
  "a server that waits for its database at the start ends within 10 seconds of SIGTERM",
  async () => {
    await using folder = createTempFolder();
    const asked = Promise.withResolvers<void>();
    // It takes connections and says nothing.
    const silent = createServer(() => asked.resolve()).listen(0, "127.0.0.1");
    const { port } = silent.address() as { port: number };
    const child = startProgram(
      {
        PATH: process.env.PATH ?? "",
        DATA_DIR: join(folder.path, "data"),
        PORT: "0",
        DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/none`,
      },
      "serve",
    );
    try {
      await asked.promise;
      child.kill("SIGTERM");
      expect(await Promise.race([child.exited, Bun.sleep(10_000)])).toBe(0);
    } finally {
      child.kill("SIGKILL");
      silent.close();
    }
  },
  TIMEOUT_MS,
);

/** A command that takes so long to clean up, and then ends with code 7. */
function startInterruptible(cleansUpMs: number, under: string[] = []) {
  const code = `
    const { untilInterrupted } = await import(${JSON.stringify(interrupts)});
    const signal = untilInterrupted();
    setTimeout(() => {}, 60_000);
    signal.addEventListener("abort", () => setTimeout(() => process.exit(7), ${cleansUpMs}));
    console.log("ready");`;
  return Bun.spawn([...under, process.execPath, "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
}

test("a command gets one Ctrl-C twice and cleans up", async () => {
  const child = startInterruptible(300);
  await child.stdout.getReader().read();
  expect(await signalUntilEnded(child, "SIGINT")).toBe(7);
});

test("a command that takes long to clean up ends at a second Ctrl-C", async () => {
  const child = startInterruptible(30_000);
  await child.stdout.getReader().read();
  child.kill("SIGINT");
  await Bun.sleep(1_200);
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
});

test("under nohup a command goes on when its terminal is closed, and still ends at SIGTERM", async () => {
  // As nohup does, which would also write to a file.
  const child = startInterruptible(0, ["sh", "-c", 'trap "" HUP; exec "$@"', "sh"]);
  await child.stdout.getReader().read();
  child.kill("SIGHUP");
  expect(await Promise.race([child.exited, Bun.sleep(300)])).toBeUndefined();
  child.kill("SIGTERM");
  expect(await child.exited).toBe(7);
});
