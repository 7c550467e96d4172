const START_OF_TILE_PART = 0xff90;
const END_OF_CODE_STREAM = 0xffd9;
const MAX_TILE_PARTS = 64;

/**
 * The ends of the tile-parts of a code stream (ITU-T T.800 §A.4.2). Our encoder writes one for each resolution, so each end is the
 * length of a prefix that has this resolution. `undefined` if the bytes are no such code stream.
 */
export function tilePartEnds(codeStream: Uint8Array): number[] | undefined {
  const view = new DataView(codeStream.buffer, codeStream.byteOffset, codeStream.byteLength);
  const ends: number[] = [];
  for (let at = 2; at + 2 <= codeStream.length; ) {
    const marker = view.getUint16(at);
    if (marker === END_OF_CODE_STREAM) return at + 2 === codeStream.length ? ends : undefined;
    if (at + 12 > codeStream.length) return undefined;
    const isTilePart = marker === START_OF_TILE_PART;
    const length = isTilePart ? view.getUint32(at + 6) : 2 + view.getUint16(at + 2);
    if (length < 4 || ends.length > MAX_TILE_PARTS) return undefined;
    at += length;
    if (isTilePart) ends.push(at);
  }
  return undefined;
}
