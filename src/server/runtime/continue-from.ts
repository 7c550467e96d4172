/**
 * The iteration of `others` with its first step, which was taken ahead so that an immediate failure shows before anything else is done.
 * Ending it ends `others`, even if nothing was read.
 */
export function continueFrom<Item>(
  first: IteratorResult<Item, unknown>,
  others: AsyncGenerator<Item, unknown>,
): AsyncGenerator<Item, void> {
  const all = inOrder(first, others);
  // A generator that never began runs no `finally`.
  const end = all.return.bind(all);
  all.return = async (value) => {
    await others.return(undefined);
    return await end(value);
  };
  return all;
}

async function* inOrder<Item>(
  first: IteratorResult<Item, unknown>,
  others: AsyncGenerator<Item, unknown>,
): AsyncGenerator<Item, void> {
  if (first.done) return;
  yield first.value;
  yield* others;
}
