/** How far is read ahead. */
export interface Ahead<Item, Result> {
  /** Items beside the one that was asked for. */
  maxItems: number;
  /** The sum of what they take in memory. An item that takes more is read when it is asked for. */
  maxBytes: number;
  bytesOf(item: Item): number;
  /** Called with each result that is not yielded. */
  discard?: (result: Result) => Promise<void>;
}

/** For an answer of many things that are mostly small, such as the slices of a series. */
export const SMALL_AHEAD = { maxItems: 8, maxBytes: 2 * 1024 * 1024 };

/** An item with its result, which may still be on its way, and may fail. */
export interface AheadRead<Item, Result> {
  item: Item;
  result: Promise<Result>;
}

/**
 * Yields the items in order, each with what `read` makes of it, and begins to read the next ones meanwhile. Nothing is read ahead of the
 * first item, of which alone it may become clear that no other is wanted. Whoever takes a result has it; all others are discarded.
 */
export async function* readAhead<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  read: (item: Item) => Promise<Result>,
  { maxItems, maxBytes, bytesOf, discard }: Ahead<Item, Result>,
): AsyncGenerator<AheadRead<Item, Result>, void> {
  const source = inSteps(items);
  const begun: (AheadRead<Item, Result> & { bytes: number })[] = [];
  let heldBytes = 0;
  let unread: Item | undefined;
  let isEnded = false;
  let failure: { error: unknown } | undefined;

  function begin(item: Item): void {
    const result = read(item);
    result.catch(() => {}); // thrown when its turn comes
    const bytes = bytesOf(item);
    heldBytes += bytes;
    begun.push({ item, result, bytes });
  }

  async function nextItem(): Promise<Item | undefined> {
    if (unread !== undefined || isEnded) return unread;
    try {
      const next = await source.next();
      if (next.done) isEnded = true;
      else unread = next.value;
    } catch (error) {
      isEnded = true;
      failure = { error };
    }
    return unread;
  }

  async function fill(count: number): Promise<void> {
    while (begun.length < count) {
      const item = await nextItem();
      if (item === undefined || (begun.length > 0 && heldBytes + bytesOf(item) > maxBytes)) return;
      unread = undefined;
      begin(item);
    }
  }

  try {
    for (await fill(1); ; await fill(maxItems + 1)) {
      const next = begun.shift();
      if (!next) break;
      // Anew each time, since an item may have no bound.
      heldBytes = begun.reduce((sum, { bytes }) => sum + bytes, 0);
      yield { item: next.item, result: next.result };
    }
    if (failure) throw failure.error;
  } finally {
    await Promise.all(begun.map(({ result }) => result.then(discard).catch(() => {})));
    await source.return(undefined);
  }
}

async function* inSteps<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
