import { assertObjectKey, type ByteRange } from "./object-store.ts";

/** @throws {RangeError} where the range is not two whole numbers of zero or more */
export function assertByteRange({ offset, length }: ByteRange): void {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
    throw new RangeError(`not a byte range: ${offset}+${length}`);
  }
}

/**
 * The folder a listing starts in: `"a/b/"` of the prefix `"a/b/c"`, `""` where the prefix has none.
 * @throws {TypeError} where that folder can't be part of a key
 */
export function folderOfPrefix(prefix: string): string {
  const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  if (folder) assertObjectKey(folder.slice(0, -1));
  return folder;
}

/** Whether {@link assertObjectKey} lets the key pass. */
export function isObjectKey(key: string): boolean {
  try {
    assertObjectKey(key);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
