import { type BuiltAssets, createApp } from "./app.ts";
import type { Config } from "./config.ts";
import type { Deps } from "./deps.ts";
import { answerRequests } from "./http/answer-requests.ts";
import { MemoryReturn } from "./runtime/memory-return.ts";
import { OperatorError } from "./runtime/operator-error.ts";
import { withTimeout } from "./runtime/with-timeout.ts";
import { startJobs } from "./start-jobs.ts";
import { errnoOf } from "./storage/disk/fs-failure.ts";

export interface RunningServer extends AsyncDisposable {
  /** Origin at which the server answers on this machine. */
  url: string;
}

/** Another program listens there. */
export class PortInUse extends OperatorError {
  override name = "PortInUse";
  constructor(host: string, port: number) {
    super(`Another program listens on port ${port} of ${host}: set PORT or HOST.`);
  }
}

/** The system lets nobody listen there: a port below 1024, or an address that is none of this machine's. */
export class CannotListen extends OperatorError {
  override name = "CannotListen";
  constructor({ host, port }: Pick<Config, "host" | "port">, errno: string) {
    super(`The system lets nothing listen on port ${port} of ${host} (${errno}): set PORT or HOST.`);
  }
}

/** Above the largest upload: the routes refuse these bodies with a problem document, Bun refuses longer ones without. */
const REFUSED_BY_ROUTES_BYTES = 16 * 1024 * 1024;
const IDLE_TIMEOUT_SECONDS = 120;
/** The time that open requests get to finish when the server stops. */
const DRAIN_MS = 4_000;

/**
 * Sweeps, starts the node's jobs and listens. Disposing stops accepting connections, then waits for open requests and
 * cuts those that take too long.
 * @throws {PortInUse}
 * @throws {CannotListen}
 */
export async function startServer(deps: Deps, assets: BuiltAssets): Promise<RunningServer> {
  const { config } = deps;
  const app = createApp(deps, assets);
  await using started = new AsyncDisposableStack();
  const jobs = started.use(await startJobs(deps));
  const server = unlessTaken(config, () =>
    Bun.serve({
      hostname: config.host,
      port: config.port,
      maxRequestBodySize: config.maxUploadBytes + REFUSED_BY_ROUTES_BYTES,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      development: false,
      // Without this, another installation could listen on the same port, and each would get some of the requests.
      reusePort: false,
      fetch: answerRequests(app, config.publicUrl),
    }),
  );
  started.move();
  const memory = new MemoryReturn();
  return {
    url: server.url.origin,
    async [Symbol.asyncDispose]() {
      memory[Symbol.dispose]();
      if (!(await withTimeout(server.stop(), DRAIN_MS))) await server.stop(true);
      await jobs[Symbol.asyncDispose]();
    },
  };
}

/** Runs what listens where the settings say. @throws {PortInUse} @throws {CannotListen} */
function unlessTaken<T>(place: Pick<Config, "host" | "port">, listen: () => T): T {
  try {
    return listen();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    throw errno === "EADDRINUSE" ? new PortInUse(place.host, place.port) : new CannotListen(place, errno);
  }
}
