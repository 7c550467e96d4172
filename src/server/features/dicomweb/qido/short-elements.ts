/** Bytes that an element may have, and all of them together. */
export interface ElementLimits {
  longest: number;
  most: number;
}

/** A tag in quotes and a colon, before each element. */
const KEY_BYTES = 11;
const [QUOTE = 0, BACKSLASH = 0, COMMA = 0] = Buffer.from('"\\,');
const OPENING = new Set(Buffer.from("{["));
const CLOSING = new Set(Buffer.from("}]"));

/**
 * The JSON of a data set without its long elements, such as what a multi-frame image says of each frame: all that a search compares is
 * short, and to parse the rest takes many times its memory. Undefined for a text that is not written as ours are.
 */
export function shortElements(json: Uint8Array, { longest, most }: ElementLimits): Uint8Array | undefined {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  const kept: Buffer[] = [];
  let keptBytes = 0;
  for (let at = 1; at < text.length - 1; ) {
    const end = endOfValue(text, at + KEY_BYTES);
    if (text[at] !== QUOTE || end < 0) return undefined;
    const sizeBytes = end - at;
    if (sizeBytes <= longest && keptBytes + sizeBytes <= most) {
      kept.push(text.subarray(at, end), Buffer.of(COMMA));
      keptBytes += sizeBytes;
    }
    at = end + 1;
  }
  return Buffer.concat([Buffer.from("{"), ...kept.slice(0, -1), Buffer.from("}")]);
}

/** Where an object that begins at `start` ends; -1 if it does not. */
function endOfValue(text: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const byte = text[at] ?? 0;
    if (byte === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) return -1;
    } else if (OPENING.has(byte)) depth++;
    else if (CLOSING.has(byte) && --depth === 0) return at + 1;
    if (depth === 0) return -1;
  }
  return -1;
}

/** Where the closing quote of a string is; -1 if it has none. */
function endOfString(text: Buffer, start: number): number {
  for (let at = text.indexOf(QUOTE, start + 1); at >= 0; at = text.indexOf(QUOTE, at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}
