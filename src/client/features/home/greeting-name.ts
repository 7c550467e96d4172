const TITLE = /^(?:dra?|sra?|srta|profa?|mra?s?|ms)\.?$/i;

/** The name that a greeting uses: the first one, with the titles before it ("Dra. Ana"). */
export function greetingName(name: string): string {
  const words = name.trim().split(/\s+/);
  const first = words.findIndex((word) => !TITLE.test(word));
  return first === -1 ? words.join(" ") : words.slice(0, first + 1).join(" ");
}
