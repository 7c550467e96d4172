/** Returns text as searches compare it: no case, no accents, single spaces. `João  SILVA` becomes `joao silva`. */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/\s+/g, " ")
    .trim();
}
