import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fastFolder } from "../fast-folder.ts";

const START_TIMEOUT_MS = 120_000;

let started: Promise<string> | undefined;

/** For a machine that stands still while a test connects: ten seconds are the product's own patience. */
const CONNECT_SECONDS = 120;

/**
 * The address of a PostgreSQL for this test process: the one `TEST_POSTGRES_URL` names, else one of its own. Clients wait long for it.
 *
 * It is run by `postgres-host.ts`, which is not our child: `bun test --isolate` kills the children of each test
 * file. The host ends when this process has, and takes the data with it.
 */
export function testPostgresUrl(): Promise<string> {
  started ??= (
    process.env.TEST_POSTGRES_URL ? Promise.resolve(process.env.TEST_POSTGRES_URL) : startHost()
  ).then(waitedFor);
  return started;
}

function waitedFor(url: string): string {
  const address = new URL(url);
  address.searchParams.set("connect_timeout", String(CONNECT_SECONDS));
  return address.href;
}

async function startHost(): Promise<string> {
  // The same for every isolated test file of this process, and for no other process.
  const folder = join(fastFolder(), `exameteca-test-${process.pid}-${Math.round(performance.timeOrigin)}`);
  if (!existsSync(folder)) {
    const host = join(import.meta.dir, "postgres-host.ts");
    const command = [process.execPath, host, folder, String(process.pid)];
    // It has none of our pipes: a reader of our output to its end would wait for the host, and the host for us.
    spawn("/bin/sh", ["-c", '"$@" &', "sh", ...command], { detached: true, stdio: "ignore" });
  }
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!existsSync(join(folder, "url"))) {
    if (existsSync(join(folder, "error"))) throw new Error(readFileSync(join(folder, "error"), "utf8"));
    if (Date.now() > deadline) throw new Error("the test PostgreSQL did not start in time");
    await Bun.sleep(10);
  }
  return readFileSync(join(folder, "url"), "utf8");
}
