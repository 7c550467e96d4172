/** Cuts a list into lists of at most `length` items, in order. */
export function* chunks<Item>(items: readonly Item[], length: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += length) yield items.slice(start, start + length);
}
