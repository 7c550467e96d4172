import { type BuiltAssets, createApp } from "./app.ts";
import type { Deps } from "./deps.ts";
import { withTimeout } from "./runtime/with-timeout.ts";
import { startJobs } from "./start-jobs.ts";

export interface RunningServer extends AsyncDisposable {
  /** Origin at which the server answers on this machine. */
  url: string;
}

/** Above the largest upload: the routes refuse these bodies with a problem document, Bun refuses longer ones without. */
const REFUSED_BY_ROUTES_BYTES = 16 * 1024 * 1024;
const IDLE_TIMEOUT_SECONDS = 120;
/** The time that open requests get to finish when the server stops. */
const DRAIN_MS = 4_000;

/**
 * Sweeps, starts the node's jobs and listens. Disposing stops accepting connections, then waits for open requests and
 * cuts those that take too long.
 */
export async function startServer(deps: Deps, assets: BuiltAssets): Promise<RunningServer> {
  const { config } = deps;
  const app = createApp(deps, assets);
  const jobs = await startJobs(deps);
  const server = Bun.serve({
    hostname: config.host,
    port: config.port,
    maxRequestBodySize: config.maxUploadBytes + REFUSED_BY_ROUTES_BYTES,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    development: false,
    fetch: (request, bunServer) => app.fetch(request, { server: bunServer }),
  });
  return {
    url: server.url.origin,
    async [Symbol.asyncDispose]() {
      if (!(await withTimeout(server.stop(), DRAIN_MS))) await server.stop(true);
      await jobs[Symbol.asyncDispose]();
    },
  };
}
