import { watch } from "node:fs";
import { join, resolve } from "node:path";
import { ensureBuilt } from "./build/ensure-built.ts";
import { inFreshProcess } from "./build/in-fresh-process.ts";

/**
 * Runs the product for development. A change of the client is replaced in the open page (scripts/dev/server.ts); a change of the
 * server or of shared code restarts the server.
 */
const root = resolve(import.meta.dir, "..");
const QUIET_MS = 80;

await inFreshProcess();
ensureBuilt();
let server = start();
let pending: ReturnType<typeof setTimeout> | undefined;
let work: Promise<void> = Promise.resolve();

for (const folder of ["src/server", "src/shared", "locales"]) {
  watch(join(root, folder), { recursive: true }, () => {
    clearTimeout(pending);
    pending = setTimeout(() => {
      work = work.then(restart);
    }, QUIET_MS);
  });
}
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    await stop();
    process.exit(0);
  });
}

function start(): Bun.Subprocess {
  return Bun.spawn([process.execPath, "scripts/dev/server.ts"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
}

async function stop(): Promise<void> {
  server.kill("SIGTERM");
  await server.exited;
}

async function restart(): Promise<void> {
  await stop();
  server = start();
}
