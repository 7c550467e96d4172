/** Reads a body into one array. Stops and returns `undefined` if it is longer than `maxBytes`. */
export async function readUpTo(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of body) {
    sizeBytes += piece.length;
    if (sizeBytes > maxBytes) return undefined;
    pieces.push(piece);
  }
  const [first] = pieces;
  if (first && pieces.length === 1) return first;
  const bytes = new Uint8Array(sizeBytes);
  let filled = 0;
  for (const piece of pieces) {
    bytes.set(piece, filled);
    filled += piece.length;
  }
  return bytes;
}
