import { ensureInstalled } from "./ensure-built.ts";

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Installs packages where they are missing or out of date, and then runs this script again in a process of its own
 * and ends as that one does: a process remembers which packages it did not find. Goes on at once where nothing was
 * to be installed. Call it before anything that needs a package is imported.
 */
export async function inFreshProcess(): Promise<void> {
  if (!ensureInstalled()) return;
  const again = Bun.spawn([process.execPath, ...process.argv.slice(1)], {
    stdio: ["inherit", "inherit", "inherit"],
  });
  for (const signal of FORWARDED) process.on(signal, () => again.kill(signal));
  process.exit(await again.exited);
}
