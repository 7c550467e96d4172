import { watch } from "node:fs";
import { join, resolve } from "node:path";
import { buildLocales } from "./build/locales.ts";
import { buildViewer } from "./build/viewer.ts";

/**
 * Develops: rebuilds the client when its sources change, restarts the server when either's do. Open pages reload
 * themselves once the new server answers.
 */
const root = resolve(import.meta.dir, "..");
const QUIET_MS = 80;

let server: Bun.Subprocess | undefined;
let pending: ReturnType<typeof setTimeout> | undefined;
let work: Promise<void> = Promise.resolve();
let clientIsStale = true;

await buildLocales();
await buildViewer();
schedule("src/client");
for (const folder of ["src", "locales"]) {
  watch(join(root, folder), { recursive: true }, (_event, name) => {
    if (name && !name.endsWith("messages.ts")) schedule(`${folder}/${name}`);
  });
}
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, async () => {
    await stopServer();
    process.exit(0);
  });
}

/** Several changes at once make one rebuild; one rebuild follows the other. */
function schedule(path: string): void {
  clientIsStale ||= !path.startsWith("src/server/");
  clearTimeout(pending);
  pending = setTimeout(() => {
    work = work.then(rebuild);
  }, QUIET_MS);
}

async function rebuild(): Promise<void> {
  if (clientIsStale) {
    clientIsStale = false;
    await buildLocales().catch(() => console.error("a translation is missing: run `bun run extract`"));
    // In a process of its own: the bundler keeps what it has read, plugins included.
    const build = Bun.spawn([process.execPath, "scripts/build/client.ts", "--dev"], {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
    });
    if ((await build.exited) !== 0) return;
  }
  await stopServer();
  server = Bun.spawn([process.execPath, "src/server/main.ts", ...process.argv.slice(2)], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
}

async function stopServer(): Promise<void> {
  server?.kill("SIGTERM");
  await server?.exited;
}
