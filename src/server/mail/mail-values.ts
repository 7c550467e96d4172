import type { Locale } from "../../shared/locale.ts";

/** Integer cents as an amount in reais. */
export function moneyText(cents: number, locale: Locale): string {
  return new Intl.NumberFormat(locale, { style: "currency", currency: "BRL" }).format(cents / 100);
}

/** A date in Brazil's time zone: `21/11/2026`, in English `Nov 21, 2026`. */
export function dateInBrazil(at: Date, locale: Locale): string {
  const format = locale === "pt-BR" ? ({ dateStyle: "short" } as const) : ({ dateStyle: "medium" } as const);
  const text = new Intl.DateTimeFormat(locale, { ...format, timeZone: "America/Sao_Paulo" });
  return text.format(at);
}

/** A date and time in Brazil's time zone. */
export function momentInBrazil(at: Date, locale: Locale): string {
  const time = new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone: "America/Sao_Paulo" });
  return `${dateInBrazil(at, locale)} ${time.format(at)}`;
}
