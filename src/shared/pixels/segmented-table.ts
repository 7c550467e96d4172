/** The kinds of segments (PS3.3 §C.7.9.2). */
const DISCRETE = 0;
const LINEAR = 1;
const INDIRECT = 2;

/**
 * Writes out the entries of a Segmented Palette Color Lookup Table (PS3.3 §C.7.9.2).
 *
 * @param fields the data, in words for entries of 16 bits and in bytes for entries of 8; none is negative
 * @param fieldBytes 2 for words, 1 for bytes
 * @param count of the entries that the descriptor declares
 * @returns at most `count` entries; fewer if the segments end early, or up to one that is empty or of an unknown kind
 */
export function expandSegments(fields: ArrayLike<number>, fieldBytes: 1 | 2, count: number): number[] {
  const entries: number[] = [];
  const field = (at: number) => fields[at] ?? 0;

  /** @returns the field after the segment, or undefined if none follows that can be read */
  function expandOwn(at: number): number | undefined {
    const length = field(at + 1);
    // Each segment has to add an entry, so that the loops end.
    if (length === 0) return undefined;
    const room = Math.min(length, count - entries.length);
    if (field(at) === DISCRETE) {
      for (let n = 0; n < room && at + 2 + n < fields.length; n++) entries.push(field(at + 2 + n));
      return at + 2 + length;
    }
    const from = entries.at(-1);
    if (field(at) !== LINEAR || from === undefined || at + 2 >= fields.length) return undefined;
    const step = (field(at + 2) - from) / length;
    for (let n = 1; n <= room; n++) entries.push(Math.round(from + step * n));
    return at + 3;
  }

  /** Copies earlier segments; the first of them that is itself a copy ends the copying. */
  function expandCopies(at: number): number {
    const offsetFields = 4 / fieldBytes;
    let offset = 0;
    for (let n = offsetFields - 1; n >= 0; n--) offset = offset * 256 ** fieldBytes + field(at + 2 + n);
    let copied: number | undefined = offset / fieldBytes;
    for (let left = field(at + 1); left > 0 && copied !== undefined && copied < at; left--) {
      if (entries.length >= count) break;
      copied = expandOwn(copied);
    }
    return at + 2 + offsetFields;
  }

  let at: number | undefined = 0;
  while (at !== undefined && at + 1 < fields.length && entries.length < count)
    at = field(at) === INDIRECT ? expandCopies(at) : expandOwn(at);
  return entries;
}
