import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../../src/server/db/embedded/embedded-postgres.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";

/** What is in it lives for minutes, and need not survive anything. */
const SETTINGS = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  autovacuum: "off",
  max_connections: "200",
};

/** Runs PostgreSQL in `folder` while process `servedPid` lives, then removes the folder. See postgres-server.ts. */
async function host(folder: string, servedPid: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  try {
    const postgres = await startEmbeddedPostgres({
      dataDir: folder,
      log: createLogger({ level: "error" }),
      settings: SETTINGS,
    });
    publish(folder, "url", postgres.url);
    while (isAlive(servedPid)) await Bun.sleep(1000);
    await postgres.stop();
  } catch (error) {
    publish(folder, "error", String(error));
    await Bun.sleep(1000);
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function publish(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, `.${name}`), text);
  renameSync(join(folder, `.${name}`), join(folder, name));
}

/** By proc(5) `stat`: pid, name, state; `Z` has ended, though nobody has collected it yet. */
function isAlive(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")")).charAt(2) !== "Z";
}

const [folder, servedPid] = process.argv.slice(2);
if (!folder || !servedPid) throw new Error("usage: postgres-host.ts FOLDER PID");
await host(folder, Number(servedPid));
