/**
 * Reverses the bytes of each word, where they are, and returns the whole words; an incomplete word at the end is unchanged. Big-endian files
 * become little-endian so.
 */
export function reverseWords<Memory extends ArrayBufferLike>(
  bytes: Uint8Array<Memory>,
  wordBytes: number,
): Uint8Array<Memory> {
  if (wordBytes === 1) return bytes;
  const end = bytes.length - (bytes.length % wordBytes);
  // A view of each word would cost more than all the rest: a value may have millions.
  for (let word = 0; word < end; word += wordBytes) {
    for (let low = word, high = word + wordBytes - 1; low < high; low++, high--) {
      const byte = bytes[low] ?? 0;
      bytes[low] = bytes[high] ?? 0;
      bytes[high] = byte;
    }
  }
  return bytes.subarray(0, end);
}
