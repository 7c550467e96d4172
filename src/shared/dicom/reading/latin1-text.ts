/** Arguments of one call; engines bound how many there may be. */
const PIECE_BYTES = 8 * 1024;

/** One character a byte. The decoder that is called "latin1" on the web is Windows-1252, which is another one. */
export function latin1Text(bytes: Uint8Array): string {
  if (bytes.length <= PIECE_BYTES) return String.fromCharCode(...bytes);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES)));
  }
  return pieces.join("");
}
