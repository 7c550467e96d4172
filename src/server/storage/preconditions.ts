import { assertObjectKey, type ByteRange } from "./object-store.ts";

/** @throws {RangeError} unless both numbers of the range are whole and not negative */
export function assertByteRange({ offset, length }: ByteRange): void {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
    throw new RangeError(`not a byte range: ${offset}+${length}`);
  }
}

/**
 * The folder a listing starts in: `"a/b/"` of the prefix `"a/b/c"`, `""` if the prefix has none.
 * @throws {TypeError} if that folder can't be part of a key
 */
export function folderOfPrefix(prefix: string): string {
  const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  if (folder) assertObjectKey(folder.slice(0, -1));
  return folder;
}
