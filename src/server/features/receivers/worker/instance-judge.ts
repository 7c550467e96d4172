import { join } from "node:path";
import { ProcessLost } from "../../../processes/killable-process.ts";
import { SerialProcess } from "../../../processes/serial-process.ts";
import type { Logger } from "../../../runtime/log.ts";
import type { JudgeRequest, Verdict } from "./judge-file.ts";

/** Judges received files in a separate process. */
export interface InstanceJudge {
  /** Calls run one at a time; others wait. A file that takes too long or too much memory is too complex. */
  judge(request: JudgeRequest): Promise<Verdict>;
  /** Ends the work under way, and the process. */
  close(): Promise<void>;
}

export interface InstanceJudgeOptions {
  log: Pick<Logger, "warn">;
  /**
   * Starts the process. Without it the entry is run from source; the compiled executable names itself and a
   * subcommand that imports `judge-worker.ts`.
   */
  command?: readonly string[] | undefined;
}

const TIMEOUT_MS = 15_000;
/** A data set that inflates to 512 MB, and what describes it. */
const MAX_MEMORY_BYTES = 1024 * 1024 * 1024;

/** The process starts with the first file and ends when none came for a while. */
export function createInstanceJudge({ log, command }: InstanceJudgeOptions): InstanceJudge {
  const judging = new SerialProcess<JudgeRequest, Verdict>({
    command: command ?? [process.execPath, join(import.meta.dir, "judge-worker.ts")],
    log,
    event: "dimse.judge_lost",
    timeoutMs: TIMEOUT_MS,
    maxMemoryBytes: MAX_MEMORY_BYTES,
  });
  return {
    async judge(request) {
      const verdict = await judging.request(request, new AbortController().signal);
      return verdict instanceof ProcessLost ? { ok: false, reason: "instance.too_complex" } : verdict;
    },
    close: () => judging.close(),
  };
}
