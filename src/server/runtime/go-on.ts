/** An iteration whose first step was taken ahead, so that what fails at once fails before anything else is done. */
export async function* goOn<Item>(
  first: IteratorResult<Item, unknown>,
  others: AsyncGenerator<Item, unknown>,
): AsyncGenerator<Item, void> {
  try {
    if (first.done) return;
    yield first.value;
    yield* others;
  } finally {
    await others.return(undefined);
  }
}
