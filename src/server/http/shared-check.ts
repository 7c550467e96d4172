import { settlesWithin } from "../runtime/settles-within.ts";

export interface SharedCheckOptions {
  /** For so long one outcome serves everybody who asks. */
  freshMs?: number;
  /** Who asks waits no longer than this for a check under way. */
  patienceMs?: number;
  /** A check that takes longer has failed. */
  timeoutMs?: number;
}

/** Checks that were given up and still hang, in a broken connection for instance. */
const MAX_HANGING = 4;

/**
 * A check that costs the same however many ask: one at a time, its outcome kept for a moment. Whoever asks while one is
 * slow is told the last outcome, until it has taken so long that it counts as failed.
 */
export function createSharedCheck(
  check: () => Promise<unknown>,
  options: SharedCheckOptions = {},
): () => Promise<boolean> {
  const { freshMs = 2_000, patienceMs = 300, timeoutMs = 3_000 } = options;
  let isGood = false;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  let hanging = 0;

  async function succeeds(): Promise<boolean> {
    if (hanging >= MAX_HANGING) return false;
    hanging++;
    const checking = check().finally(() => hanging--);
    checking.catch(() => {}); // one that fails after it was given up
    return await settlesWithin(checking, timeoutMs).catch(() => false);
  }

  async function run(): Promise<void> {
    isGood = await succeeds();
    checkedAt = performance.now();
    running = undefined;
  }

  return async () => {
    if (performance.now() - checkedAt < freshMs) return isGood;
    running ??= run();
    await settlesWithin(running, patienceMs);
    return isGood;
  };
}
