import { join } from "node:path";
import { ensureBuilt } from "./build/ensure-built.ts";

/** Starts the server from a fresh checkout, or runs the given subcommand of it. */
const main = join(import.meta.dir, "../src/server/main.ts");

if (ensureBuilt().hasInstalled) {
  // This process remembers that the packages were missing; a new process finds them.
  const server = Bun.spawn([process.execPath, main, ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit"],
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => server.kill(signal));
  process.exit(await server.exited);
}
await import(main);
