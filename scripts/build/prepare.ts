import { join, resolve } from "node:path";
import { buildClient } from "./client.ts";
import { buildStep, markFresh } from "./freshness.ts";
import { buildLocales } from "./locales.ts";
import { buildViewer } from "./viewer.ts";

/** Builds everything that a server needs beside its sources. Each output is replaced as a whole when it is complete. */
await buildLocales();
await Promise.all([
  buildClient({ folder: join(resolve(import.meta.dir, "../.."), "dist/client"), release: true }),
  buildViewer(),
]);
markFresh(buildStep);
