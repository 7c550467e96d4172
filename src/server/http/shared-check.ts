import { withTimeout } from "../runtime/with-timeout.ts";

export interface SharedCheckOptions {
  /** How long one outcome serves all callers. */
  freshMs?: number;
  /** How long a caller waits for a running check, unless it is the first. */
  patienceMs?: number;
  /** A check that takes longer counts as failed. */
  timeoutMs?: number;
}

/** Checks that were given up but still hang, for example in a broken connection. */
const MAX_HANGING = 4;

/**
 * A check whose cost does not grow with its callers: one runs at a time, and its outcome is kept for a moment. While a
 * check is slow, callers get the last outcome, until it has taken so long that it counts as failed. Before there is an
 * outcome, they wait for the first.
 */
export function createSharedCheck(
  check: () => Promise<unknown>,
  options: SharedCheckOptions = {},
): () => Promise<boolean> {
  const { freshMs = 2_000, patienceMs = 300, timeoutMs = 3_000 } = options;
  let isGood: boolean | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  let hanging = 0;

  async function succeeds(): Promise<boolean> {
    if (hanging >= MAX_HANGING) return false;
    hanging++;
    const checking = check().finally(() => hanging--);
    checking.catch(() => {}); // one that fails after it was given up
    return await withTimeout(checking, timeoutMs).catch(() => false);
  }

  async function run(): Promise<void> {
    isGood = await succeeds();
    checkedAt = performance.now();
    running = undefined;
  }

  return async () => {
    if (isGood !== undefined && performance.now() - checkedAt < freshMs) return isGood;
    running ??= run();
    await (isGood === undefined ? running : withTimeout(running, patienceMs));
    return isGood ?? false;
  };
}
