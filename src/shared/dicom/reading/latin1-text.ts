/** Arguments of one call; engines bound how many there may be. */
const PIECE_BYTES = 8 * 1024;

const utf8 = new TextDecoder();

/** One character a byte. The decoder that is called "latin1" on the web is Windows-1252, which is another one. */
export function latin1Text(bytes: Uint8Array): string {
  // Nearly every text is ASCII, which is UTF-8 too; its decoder takes a tenth of the time.
  if (isAscii(bytes)) return utf8.decode(bytes);
  if (bytes.length <= PIECE_BYTES) return String.fromCharCode(...bytes);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES)));
  }
  return pieces.join("");
}

function isAscii(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] ?? 0) > 0x7f) return false;
  return true;
}
