import { join, resolve } from "node:path";
import { createApp } from "../../src/server/app.ts";
import { readConfig } from "../../src/server/config.ts";
import { ensureAdmin } from "../../src/server/features/accounts/users/ensure-admin.ts";
import { folderAssets } from "../../src/server/render/assets.ts";
import { type ClientGraph, readClientGraph } from "../../src/server/render/client-graph.ts";
import { createDeps } from "../../src/server/start-deps.ts";
import { startJobs } from "../../src/server/start-jobs.ts";
import clientPage from "./client.html";

/** The server with the client from Bun's development bundler, which replaces changed modules in open pages. */
const dist = join(resolve(import.meta.dir, "../.."), "dist");
const config = readConfig(process.env);
const deps = await createDeps(config, { holding: {} });
const admin = await ensureAdmin(deps);
const client = folderAssets(join(dist, "client"));
const built = await readClientGraph(client);
const assets = { client, viewer: folderAssets(join(dist, "viewer")) };
const app = createApp(deps, assets, { clientGraph });
await startJobs(deps);

const server = Bun.serve({
  hostname: config.host,
  port: config.port,
  idleTimeout: 120,
  maxRequestBodySize: config.maxUploadBytes + 2 ** 24,
  development: { hmr: true, console: true },
  routes: { "/_dev/client": clientPage },
  fetch: (request, bunServer) => app.fetch(request, { server: bunServer }),
});
console.log(`${config.productName} for development at ${server.url.origin}`);
if (admin) console.log(`admin: ${admin.email}, password: ${admin.generatedPassword ?? "as set"}`);

let isStopping = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, async () => {
    // `bun run` passes on Ctrl-C, which the terminal sends too.
    if (isStopping) return;
    isStopping = true;
    await server.stop(true);
    await deps[Symbol.asyncDispose]();
    process.exit(0);
  });
}

/** Reads the names of the script and the styles from the bundler's own page; they change with the sources. */
async function clientGraph(): Promise<ClientGraph> {
  const page = await (await fetch(new URL("/_dev/client", server.url))).text();
  const [, entry = ""] = page.match(/<script[^>]* src="([^"]+)"/) ?? [];
  const styles = Array.from(
    page.matchAll(/<link rel="stylesheet"[^>]* href="([^"]+)"/g),
    ([, href = ""]) => href,
  );
  return {
    ...built,
    entry,
    styles,
    fonts: [],
    islands: { auth: [], help: [], his: [], verify: [], visit: [], delivery: [] },
  };
}
