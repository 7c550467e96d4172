/*
 * Names of files are bytes. Old discs have names in Latin-1, which are no UTF-8. Each byte of such a name is kept in the path as a lone
 * surrogate, U+DC80 to U+DCFF, which no text has, so that the file can be opened by it.
 */

const ESCAPE = 0xdc00;
const ESCAPED = /[\udc80-\udcff]/u;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The name for a path. */
export function nameOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : ESCAPE | byte)).join("");
  }
}

/** The path as system calls take it. */
export function rawPath(path: string): string | Buffer {
  if (!ESCAPED.test(path)) return path;
  return Buffer.concat(
    Array.from(path, (character) =>
      ESCAPED.test(character) ? Buffer.of(character.charCodeAt(0) & 0xff) : Buffer.from(character),
    ),
  );
}

/** The path as people read it: the bytes that are no UTF-8 are most likely Latin-1. */
export function readablePath(path: string): string {
  return path.replace(/[\udc80-\udcff]/gu, (character) =>
    String.fromCharCode(character.charCodeAt(0) & 0xff),
  );
}
