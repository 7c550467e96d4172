/** A buffer that is not set to zero: the caller fills it before any of it leaves this process. */
export function newBuffer(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
}
