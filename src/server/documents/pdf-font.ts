/** The standard fonts of PDF (ISO 32000-1 §9.6.2.2): every reader has them, so nothing is embedded. */
export const fonts = {
  regular: "Helvetica",
  bold: "Helvetica-Bold",
  mono: "Courier",
} as const;
export type FontName = keyof typeof fonts;

/** The widths of the printable ASCII characters in thousandths of the font's size, from Adobe's metrics. */
const REGULAR =
  widths(`278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556
  556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722
  667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500
  278 556 500 722 500 500 500 334 260 334 584`);
const BOLD =
  widths(`278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556
  556 556 333 333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722
  667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556
  333 611 556 778 556 556 500 389 280 389 584`);
const MONO_WIDTH = 600;
/** No other character of the encoding is wider, except those of `WIDE`. */
const OTHER_WIDTH = 611;
/** Of both fonts. */
const WIDE = new Map(
  (
    [
      ["—…‰™ŒÆ", 1000],
      ["œ", 944],
      ["æ", 889],
      ["¼½¾", 834],
      ["Ø", 778],
      ["©®", 737],
      ["Ð", 722],
      ["Þ", 667],
    ] as const
  ).flatMap(([characters, width]) => Array.from(characters, (character) => [character, width] as const)),
);

/** Letters that do not decompose into one of the encoding and a mark. */
const PLAIN: Record<string, string> = {
  ł: "l",
  Ł: "L",
  đ: "d",
  Đ: "D",
  ħ: "h",
  Ħ: "H",
  ı: "i",
  ŧ: "t",
  Ŧ: "T",
};

/** What WinAnsiEncoding has beyond Latin-1: the codes 0x80 to 0x9F of windows-1252. */
const EXTRA = new Map(
  Array.from({ length: 32 }, (_, i) => 0x80 + i).map((code) => [
    new TextDecoder("windows-1252").decode(Uint8Array.of(code)),
    code,
  ]),
);

function widths(text: string): number[] {
  return text.split(/\s+/).map(Number);
}

/**
 * The text in WinAnsiEncoding, which has all letters of Portuguese and English. A letter that it lacks loses its mark, and what is
 * left becomes a question mark.
 */
export function encodeWinAnsi(text: string): Uint8Array {
  return Uint8Array.from([...text.normalize("NFC")].map(codeOf));
}

/** Whether the encoding has all letters of the text, with or without their marks. */
export function isWritable(text: string): boolean {
  const lost = "?".charCodeAt(0);
  return Array.from(text.normalize("NFC")).every(
    (character) => character === "?" || codeOf(character) !== lost,
  );
}

function codeOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if ((code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff)) return code;
  const [base = ""] = character.normalize("NFD");
  return EXTRA.get(character) ?? (base === character ? undefined : codeOf(base)) ?? plainCodeOf(character);
}

function plainCodeOf(character: string): number {
  return (PLAIN[character] ?? "?").charCodeAt(0);
}

/** The width of a text, in the unit of `size`. */
export function textWidth(text: string, font: FontName, size: number): number {
  const table = font === "bold" ? BOLD : REGULAR;
  let sum = 0;
  for (const character of text.normalize("NFC")) {
    const base = character.normalize("NFD").charCodeAt(0);
    sum += font === "mono" ? MONO_WIDTH : (table[base - 0x20] ?? WIDE.get(character) ?? OTHER_WIDTH);
  }
  return (sum * size) / 1000;
}

/** Breaks a text into lines of at most `width`, at spaces where it has them; at most `maxLines`, the last one cut. */
export function wrapText(
  text: string,
  { font, size, width, maxLines }: { font: FontName; size: number; width: number; maxLines: number },
): string[] {
  const fits = (line: string) => textWidth(line, font, size) <= width;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== "" && fits(`${line} ${word}`)) line = `${line} ${word}`;
    else {
      if (line !== "") lines.push(line);
      line = word;
      while (!fits(line) && lines.length < maxLines) {
        const cut = longestPrefix(line, fits);
        lines.push(line.slice(0, cut));
        line = line.slice(cut);
      }
    }
    if (lines.length >= maxLines) break;
  }
  if (line !== "") lines.push(line);
  if (lines.length <= maxLines) return lines;
  const [last = ""] = lines.slice(maxLines - 1);
  const cut = longestPrefix(last, (start) => fits(`${start}…`));
  return [...lines.slice(0, maxLines - 1), `${last.slice(0, cut)}…`];
}

function longestPrefix(text: string, fits: (start: string) => boolean): number {
  let length = text.length;
  while (length > 1 && !fits(text.slice(0, length))) length--;
  return length;
}
