/**
 * Runs `work` for each item, up to `width` at once, in any order of their ends. After a failure it begins no more, waits for what is under
 * way, and rejects with the first failure.
 */
export async function forEachAtOnce<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = iteratorOf(items);
  const failures: unknown[] = [];
  async function worker(): Promise<void> {
    try {
      while (failures.length === 0) {
        const next = await iterator.next();
        if (next.done || failures.length > 0) return;
        await work(next.value);
      }
    } catch (error) {
      failures.push(error);
    }
  }
  await Promise.all(Array.from({ length: width }, worker));
  if (failures.length === 0) return;
  await iterator.return?.();
  throw failures[0];
}

function iteratorOf<Item>(items: Iterable<Item> | AsyncIterable<Item>): Iterator<Item> | AsyncIterator<Item> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}
