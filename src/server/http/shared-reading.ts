import { createSharedCheck, type SharedCheckOptions } from "./shared-check.ts";

/**
 * A reading that costs the same however many ask: one at a time, kept while it is fresh. Undefined where it failed or
 * takes too long.
 */
export function createSharedReading<Value>(
  read: () => Promise<Value>,
  options: SharedCheckOptions,
): () => Promise<Value | undefined> {
  let value: Value | undefined;
  const succeeds = createSharedCheck(async () => {
    value = await read();
  }, options);
  return async () => ((await succeeds()) ? value : undefined);
}
