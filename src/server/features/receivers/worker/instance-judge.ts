import { join } from "node:path";
import { ProcessLost } from "../../../processes/killable-process.ts";
import { SerialProcess } from "../../../processes/serial-process.ts";
import { FairTurns } from "../../../runtime/fair-turns.ts";
import type { Logger } from "../../../runtime/log.ts";
import type { JudgeRequest, Verdict } from "./judge-file.ts";

/** Whose an association is. */
export interface Party {
  readonly accountId: string;
  /** The account, or all trial accounts together: they cost nothing to make. */
  readonly sharer: string;
}

/** Judges received files in a separate process. */
export interface InstanceJudge {
  /**
   * One file is judged at a time; accounts take turns. A file that takes too long or too much memory is too complex, and so is one of
   * nobody any more.
   */
  judge(request: JudgeRequest, partyOf: () => Party | undefined): Promise<Verdict>;
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

const TOO_COMPLEX: Verdict = { ok: false, reason: "instance.too_complex" };

/** The process starts with the first file and ends when none came for a while. */
export function createInstanceJudge({ log, command }: InstanceJudgeOptions): InstanceJudge {
  const judging = new SerialProcess<JudgeRequest, Verdict>({
    command: command ?? [process.execPath, join(import.meta.dir, "judge-worker.ts")],
    log,
    event: "dimse.judge_lost",
    timeoutMs: TIMEOUT_MS,
    maxMemoryBytes: MAX_MEMORY_BYTES,
  });
  const turns = new FairTurns({ turns: 1, turnsPerAccount: 1 });
  return {
    async judge(request, partyOf) {
      const party = partyOf();
      if (!party) return TOO_COMPLEX;
      using _ = await turns.take(party.accountId, undefined, party.sharer);
      // Its sender may have left meanwhile.
      if (!partyOf()) return TOO_COMPLEX;
      const verdict = await judging.request(request, new AbortController().signal);
      return verdict instanceof ProcessLost ? TOO_COMPLEX : verdict;
    },
    close: () => judging.close(),
  };
}
