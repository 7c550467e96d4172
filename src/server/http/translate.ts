import { type I18n, setupI18n } from "@lingui/core";
import { messages as enUS } from "../../../locales/en-US/messages.ts";
import { messages as ptBR } from "../../../locales/pt-BR/messages.ts";
import { asWritten } from "../../shared/as-written.ts";
import type { Locale } from "../../shared/locale.ts";

// Each locale has its own instance, so that concurrent requests in two languages do not mix.
const instances: Record<Locale, I18n> = {
  "pt-BR": setupI18n({ locale: "pt-BR", messages: { "pt-BR": ptBR } }),
  "en-US": setupI18n({ locale: "en-US", messages: { "en-US": enUS } }),
};

/** The text of a descriptor (`{ id, message }`) in `locale`. */
export function translate(
  locale: Locale,
  text: { id: string; message: string },
  values?: Record<string, string | number>,
): string {
  return instances[locale]._(text.id, values && asWritten(values), { message: text.message });
}
