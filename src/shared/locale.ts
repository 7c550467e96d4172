export const locales = ["pt-BR", "en-US"] as const;
export type Locale = (typeof locales)[number];

/**
 * Returns the language that an `Accept-Language` header ranks first of Portuguese and English (RFC 9110 §12.5.4): Portuguese if it
 * names none, or takes any, and English if it names others alone.
 */
export function pickLocale(languages: string | undefined): Locale {
  const ranked = (languages ?? "").split(",").map(rankedCode);
  const wanted = ranked
    .filter(({ code, rank }) => code !== "" && rank > 0)
    .toSorted((a, b) => b.rank - a.rank);
  if (wanted.length === 0) return "pt-BR";
  const known = wanted.find(({ code }) => code === "*" || code.includes("pt") || /^en\b/.test(code));
  return known && !known.code.startsWith("en") ? "pt-BR" : "en-US";
}

function rankedCode(part: string): { code: string; rank: number } {
  const [code = "", ...parameters] = part.toLowerCase().split(";");
  const weight = parameters.map((parameter) => /^\s*q=([01](\.\d{0,3})?)\s*$/.exec(parameter)?.[1]);
  return { code: code.trim(), rank: Number(weight.find((found) => found !== undefined) ?? 1) };
}

/** Returns the language for a first visit: Portuguese if the browser has it among its languages, or has none. */
export function firstLocale(languages: readonly string[]): Locale {
  const isPortuguese = languages.length === 0 || languages.some((code) => /^pt\b/i.test(code));
  return isPortuguese ? "pt-BR" : "en-US";
}
