export const locales = ["pt-BR", "en-US"] as const;
export type Locale = (typeof locales)[number];

/** Returns Portuguese if the first language code contains `pt` or none is given, else English. */
export function pickLocale(languages: string | undefined): Locale {
  const first = languages?.split(",")[0]?.trim().toLowerCase();
  return !first || first === "*" || first.includes("pt") ? "pt-BR" : "en-US";
}

/** Returns the language for a first visit: Portuguese if the browser has it among its languages, or has none. */
export function firstLocale(languages: readonly string[]): Locale {
  const isPortuguese = languages.length === 0 || languages.some((code) => /^pt\b/i.test(code));
  return isPortuguese ? "pt-BR" : "en-US";
}
