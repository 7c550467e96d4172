import { i18n, type Messages } from "@lingui/core";
import type { Locale } from "../shared/locale.ts";

const catalogues: Record<Locale, () => Promise<{ messages: Messages }>> = {
  "pt-BR": () => import("../../locales/pt-BR/messages.ts"),
  "en-US": () => import("../../locales/en-US/messages.ts"),
};

/** Loads the locale's catalogue and shows it everywhere; the document's language follows. */
export async function activateLocale(locale: Locale): Promise<void> {
  const { messages } = await catalogues[locale]();
  i18n.loadAndActivate({ locale, messages });
  document.documentElement.lang = locale;
}

export function activeLocale(): Locale {
  return i18n.locale === "en-US" ? "en-US" : "pt-BR";
}

export { i18n };
