import { withTimeout } from "./with-timeout.ts";

/**
 * Returns what `collect` put into its list in time, and rejects when it rejects in time. What it finds later, it finds for nobody: the
 * returned list stays as it is.
 * @param collect looks at `isLate` now and then, and ends if it is
 */
export async function collectWithin<Item>(
  collect: (found: Item[], isLate: () => boolean) => Promise<void>,
  timeoutMs: number,
): Promise<Item[]> {
  const found: Item[] = [];
  let isLate = false;
  isLate = !(await withTimeout(
    collect(found, () => isLate),
    timeoutMs,
  ));
  return [...found];
}
