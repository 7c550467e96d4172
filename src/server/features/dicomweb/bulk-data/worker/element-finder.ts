import { join } from "node:path";
import type { BulkDataLocation } from "../../../../dicom/bulk-data.ts";
import { ProcessLost } from "../../../../processes/killable-process.ts";
import { SerialProcess } from "../../../../processes/serial-process.ts";
import type { Logger } from "../../../../runtime/log.ts";
import type { Turns } from "../../../../runtime/turns.ts";
import { type BoundedTurnLimits, BoundedTurns } from "../../turns/bounded-turns.ts";
import type { Searcher } from "../../turns/searcher.ts";
import type { ElementReply, ElementRequest } from "./element-messages.ts";

/** Finds elements of files in a separate process. */
export interface ElementFinder {
  /**
   * Finds values in a file in one pass. The file's data set is not deflated, or is inflated already. A value that the file does not have
   * is undefined; all are if the search took too long. Calls run one at a time; others wait.
   */
  find(request: ElementRequest, signal: AbortSignal): Promise<(BulkDataLocation | undefined)[]>;
  /**
   * Works once there is a turn to write a file for {@link find} and have it searched. There are few, since such a file may have hundreds
   * of megabytes.
   * @throws {AppError} 503 with Retry-After if too many wait, or this one for too long
   */
  inTurn<Result>(searcher: Searcher, work: () => Promise<Result>): Promise<Result>;
  /** Ends the running search, and the process. */
  close(): Promise<void>;
}

export interface ElementFinderOptions {
  log: Pick<Logger, "warn">;
  /**
   * Starts the process. Without it the entry is run from source; the compiled executable names itself and a
   * subcommand that imports `element-worker.ts`.
   */
  command?: readonly string[] | undefined;
  /** Shared with other processes that must not work at the same time. */
  turns?: Turns;
}

const TIMEOUT_MS = 5_000;
/** While one file is searched, the next one is written. */
const FILES: BoundedTurnLimits = {
  turns: 3,
  turnsPerAccount: 2,
  asked: { all: 160, own: 32, retryAfterSeconds: 5 },
  waitMs: 30_000,
};
const MAX_MEMORY_BYTES = 160 * 1024 * 1024;

/** The process starts with the first search and ends when none was asked for a while. */
export function createElementFinder({ log, command, turns }: ElementFinderOptions): ElementFinder {
  const finder = new SerialProcess<ElementRequest, ElementReply>({
    command: command ?? [process.execPath, join(import.meta.dir, "element-worker.ts")],
    log,
    event: "elements.process_lost",
    timeoutMs: TIMEOUT_MS,
    maxMemoryBytes: MAX_MEMORY_BYTES,
    ...(turns && { turns }),
  });
  const files = new BoundedTurns(FILES);
  return {
    inTurn: (searcher, work) => files.run(searcher, undefined, work),
    async find(request, signal) {
      const reply = await finder.request(request, signal);
      if (reply instanceof ProcessLost) return request.tagPaths.map(() => undefined);
      return reply.map((location) => location ?? undefined);
    },
    close: () => finder.close(),
  };
}
