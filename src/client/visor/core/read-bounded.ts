/**
 * Reads a body of unknown length, and gives its beginning to `prefix.take` as soon as `prefix.bytes` are there.
 * @throws {RangeError} before more than `maxBytes` are held
 */
export async function readBounded(
  response: Response,
  maxBytes: number,
  prefix?: { bytes: number; take(bytes: Uint8Array<ArrayBuffer>): void },
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  if (!reader) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  let wanted = prefix;
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel();
      throw new RangeError(`more than ${maxBytes} bytes`);
    }
    pieces.push(value);
    if (wanted && length >= wanted.bytes) {
      wanted.take(joined(pieces, length));
      wanted = undefined;
    }
  }
  return joined(pieces, length);
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
