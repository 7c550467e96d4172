/**
 * Gives the memory of bytes back at once, and empties every view of it. Bytes that are a part of others stay. Otherwise it waits for the next collection, which knows
 * nothing of how large they are.
 */
export function freeBytes({ buffer, byteLength }: ArrayBufferView): void {
  const isWhole = buffer instanceof ArrayBuffer && byteLength === buffer.byteLength;
  // Older browsers can't; and a buffer that was handed over holds nothing.
  if (isWhole && buffer.detached === false) buffer.transfer(0);
}
