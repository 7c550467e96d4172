import { resolve } from "node:path";
import { buildStep, installStep, isFresh, markFresh } from "./freshness.ts";

const root = resolve(import.meta.dir, "../..");

/**
 * Installs packages if they are missing or out of date. Ends the process if that fails. Needs only Bun itself. Returns
 * whether it installed: see `in-fresh-process.ts`.
 */
export function ensureInstalled(): boolean {
  if (isFresh(installStep)) return false;
  runBun("Installing packages…", ["install", "--frozen-lockfile"]);
  markFresh(installStep);
  return true;
}

/** This process has looked: that reads all sources. */
let isBuilt = false;

/**
 * Installs packages and builds the client, the viewer and the catalogues if they are missing or out of date. Ends the
 * process if that fails.
 */
export function ensureBuilt(): void {
  if (isBuilt) return;
  ensureInstalled();
  // A separate process, so that the caller does not keep the bundlers' memory.
  if (!isFresh(buildStep)) runBun("Building the client and the viewer…", ["scripts/build/prepare.ts"]);
  isBuilt = true;
}

function runBun(title: string, args: string[]): void {
  console.error(title);
  // Inside `bun test` it is "test", which makes a different build.
  const { NODE_ENV: _, ...env } = process.env;
  const { exitCode } = Bun.spawnSync([process.execPath, ...args], {
    cwd: root,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (exitCode !== 0) {
    console.error(`This failed: bun ${args.join(" ")}`);
    process.exit(1);
  }
}
