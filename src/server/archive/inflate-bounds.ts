/** Options of zlib for an output of `sizeBytes`, of which no more is ever allocated. */
export function inflateBounds(sizeBytes: number) {
  return { chunkSize: Math.max(64, sizeBytes), maxOutputLength: Math.max(1, sizeBytes) };
}
