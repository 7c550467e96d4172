const MAX_BATCHES = 100;

/**
 * Repeats a batch of at most `batchSize` rows until one finds fewer, and at most a hundred times: the rest waits for the next run.
 * @param runBatch returns how many rows it found
 */
export async function inBatches(
  batchSize: number,
  runBatch: (limit: number) => Promise<number>,
): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) if ((await runBatch(batchSize)) < batchSize) return;
}
