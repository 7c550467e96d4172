/** Text normalised for comparison, with the source position of each character. */
export interface FoldedText {
  /** The text without case and accents, with single spaces. */
  text: string;
  /** For each UTF-16 unit of `text`, the source index of its character. */
  places: number[];
}

/** A hit in the source text: index of its first character, and the index after its last one. */
export interface Hit {
  start: number;
  end: number;
}

/** Like `fold`, but character by character. */
export function foldWithPlaces(source: string): FoldedText {
  let text = "";
  const places: number[] = [];
  let at = 0;
  for (const character of source) {
    for (const unit of foldCharacter(character)) {
      if (unit === " " && (text === "" || text.endsWith(" "))) continue;
      text += unit;
      for (let n = 0; n < unit.length; n++) places.push(at);
    }
    at += character.length;
  }
  return { text, places };
}

/** The search words, folded like the text; empty if they contain only spaces and marks. */
export function foldQuery(words: string): string {
  return foldWithPlaces(words).text.trim();
}

export function countHits(text: string, wanted: string): number {
  let count = 0;
  for (const _ of startsOf(text, wanted)) count++;
  return count;
}

/** The hits in the source, in order and without overlaps. */
export function findHits(source: string, wanted: string): Hit[] {
  const { text, places } = foldWithPlaces(source);
  return Array.from(startsOf(text, wanted), (start) => {
    const last = places[start + wanted.length - 1] ?? 0;
    return { start: places[start] ?? 0, end: last + symbolLength(source, last) };
  });
}

function* startsOf(text: string, wanted: string): Generator<number> {
  if (wanted === "") return;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) yield at;
}

function foldCharacter(character: string): string {
  return character
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/\s/g, " ");
}

/** A character with the marks that follow it. */
function symbolLength(source: string, at: number): number {
  return /^.\p{M}*/su.exec(source.slice(at, at + 16))?.[0].length ?? 1;
}
