/**
 * Whether a whole text fits a pattern with the wildcards `*` and `?` (PS3.4 §C.2.2.2.4). Values may have hundreds of thousands of
 * letters: the time grows with these alone, whatever the pattern.
 */
export function matchesWildcard(text: string, pattern: string): boolean {
  const [first = "", ...parts] = pattern.split("*");
  const last = parts.pop();
  if (last === undefined) return text.length === first.length && fitsAt(text, first, 0);
  const end = text.length - last.length;
  if (end < first.length || !fitsAt(text, first, 0) || !fitsAt(text, last, end)) return false;
  let at = first.length;
  for (const part of parts) {
    at = endOfFirst(text, part, at);
    if (at < 0 || at > end) return false;
  }
  return true;
}

function fitsAt(text: string, part: string, at: number): boolean {
  for (let place = 0; place < part.length; place++)
    if (part[place] !== "?" && part[place] !== text[at + place]) return false;
  return true;
}

/** Where the first place of a part ends, from `from` on; -1 if there is none. */
function endOfFirst(text: string, part: string, from: number): number {
  if (part.includes("?")) return endOfFirstFitting(text, part, from);
  const at = text.indexOf(part, from);
  return at < 0 ? -1 : at + part.length;
}

const WORD_BITS = 32;

/**
 * As {@link endOfFirst}, for a part with `?`. All places are looked for at once: a bit for each letter of the part says whether the
 * text so far ends with the part up to that letter (Shift-And).
 */
function endOfFirstFitting(text: string, part: string, from: number): number {
  const wordCount = Math.ceil(part.length / WORD_BITS);
  const anyLetter = new Uint32Array(wordCount);
  const masks = new Map<string, Uint32Array>();
  for (let place = 0; place < part.length; place++) if (part[place] === "?") setBit(anyLetter, place);
  for (let place = 0; place < part.length; place++) {
    const letter = part[place] ?? "";
    if (letter === "?") continue;
    const mask = masks.get(letter) ?? anyLetter.slice();
    setBit(mask, place);
    masks.set(letter, mask);
  }
  const ended = new Uint32Array(wordCount);
  const lastBit = 1 << ((part.length - 1) % WORD_BITS);
  for (let at = from; at < text.length; at++) {
    const mask = masks.get(text[at] ?? "") ?? anyLetter;
    let carry = 1;
    for (let word = 0; word < wordCount; word++) {
      const before = ended[word] ?? 0;
      ended[word] = ((before << 1) | carry) & (mask[word] ?? 0);
      carry = before >>> (WORD_BITS - 1);
    }
    if (((ended[wordCount - 1] ?? 0) & lastBit) !== 0) return at + 1;
  }
  return -1;
}

function setBit(words: Uint32Array, bit: number): void {
  const word = Math.floor(bit / WORD_BITS);
  words[word] = (words[word] ?? 0) | (1 << (bit % WORD_BITS));
}
