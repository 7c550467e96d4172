/**
 * Gives the memory of `bytes` back at once, where the engine would do so at a later collection. They are gone afterwards. Bytes that
 * share their buffer with others stay.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
