import { resolve } from "node:path";
import { buildStep, installStep, isFresh, markFresh } from "./build/freshness.ts";

/**
 * Starts the server from a fresh checkout: installs, builds what is missing or out of date, then runs the given
 * subcommand. Needs nothing installed but Bun itself.
 */
const root = resolve(import.meta.dir, "..");

if (!isFresh(installStep)) {
  runBun("Installing packages…", ["install", "--frozen-lockfile"]);
  markFresh(installStep);
}
// In a process of its own, so that the server does not carry the bundlers' memory.
if (!isFresh(buildStep)) runBun("Building the client and the viewer…", ["scripts/build/prepare.ts"]);

await import("../src/server/main.ts");

function runBun(title: string, args: string[]): void {
  console.error(title);
  const { exitCode } = Bun.spawnSync([process.execPath, ...args], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (exitCode !== 0) {
    console.error(`This failed: bun ${args.join(" ")}`);
    process.exit(1);
  }
}
