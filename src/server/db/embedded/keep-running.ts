import { join, resolve } from "node:path";
import { describeError } from "../../runtime/log.ts";
import { sleep } from "../../runtime/sleep.ts";
import { DataDirInUse, PostgresStartFailed } from "./embedded.errors.ts";
import {
  type EmbeddedPostgresOptions,
  type StartedPostgres,
  startEmbeddedPostgres,
} from "./embedded-postgres.ts";
import { showKeeper } from "./keeper.ts";

/** PostgreSQL ends by itself where its disk is full, and can't start there before somebody has made room. */
const PAUSES = { firstMs: 250, longestMs: 5_000 };
/** A run that lasted so long was well. */
const WELL_AFTER_MS = 60_000;

export interface KeptPostgres {
  /** Stays the same over all its runs. */
  url: string;
  /** Resolves when a process that overlooked this one has taken the data between two runs. */
  taken: Promise<void>;
  stop(): Promise<void>;
}

/**
 * As {@link startEmbeddedPostgres}, and starts it again each time it ends by itself.
 * @throws what the first start throws
 */
export async function keepPostgresRunning(
  options: EmbeddedPostgresOptions,
  pauses = PAUSES,
): Promise<KeptPostgres> {
  const { log } = options;
  const first = await startEmbeddedPostgres(options);
  const keeper = await showKeeper(join(resolve(options.dataDir), "postgres")).catch((error: unknown) => {
    // Its file system has no sockets: PostgreSQL alone keeps others out then, while it runs.
    log.warn("postgres.keeper_hidden", describeError(error));
  });
  const { url, socketFolder } = first;
  let running: StartedPostgres | undefined = first;
  const taken = Promise.withResolvers<void>();
  const end = new AbortController();
  let pauseMs = pauses.firstMs;

  /** Returns `undefined` if the database is to stop, or is another's now. */
  async function startAgain(): Promise<StartedPostgres | undefined> {
    while (await isAfter(pauseMs, end.signal)) {
      pauseMs = Math.min(2 * pauseMs, pauses.longestMs);
      try {
        return await startEmbeddedPostgres({ ...options, socketFolder });
      } catch (error) {
        if (error instanceof DataDirInUse) return void taken.resolve();
        const exitCode = error instanceof PostgresStartFailed ? error.exitCode : undefined;
        log.error("postgres.not_started", { exitCode, ...describeError(error) });
      }
    }
    return undefined;
  }

  async function watch(): Promise<void> {
    while (running) {
      const startedAt = performance.now();
      const exitCode = await running.exited;
      if (end.signal.aborted) return;
      log.error("postgres.ended", { exitCode });
      if (performance.now() - startedAt > WELL_AFTER_MS) pauseMs = pauses.firstMs;
      running = undefined;
      running = await startAgain();
      if (end.signal.aborted) await running?.stop();
    }
  }

  const watching = watch();
  return {
    url,
    taken: taken.promise,
    async stop() {
      end.abort();
      await running?.stop();
      await watching;
      await keeper?.[Symbol.asyncDispose]();
    },
  };
}

async function isAfter(delayMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(delayMs, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
