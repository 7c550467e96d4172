/** Not set to zero before: who makes it fills it, or gives nothing of it out. */
export function newBuffer(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
}
