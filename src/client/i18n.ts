import { i18n, type MessageDescriptor, type MessageOptions, type Messages } from "@lingui/core";
import { asWritten } from "../shared/as-written.ts";
import type { Locale } from "../shared/locale.ts";

const translate = i18n._.bind(i18n);

/** What the macros call. */
function translateAsWritten(
  asked: MessageDescriptor | string,
  values?: Record<string, unknown>,
  options?: MessageOptions,
): string {
  if (typeof asked === "string") return translate(asked, values && asWritten(values), options);
  return translate(asked.values ? { ...asked, values: asWritten(asked.values) } : asked);
}

type Load = () => Promise<{ messages: Messages }>;

/** The entry page's messages are small; every other page loads the rest too. */
const catalogues: Record<Locale, { entry: Load; his: Load }> = {
  "pt-BR": {
    entry: () => import("../../locales/pt-BR/messages.ts"),
    his: () => import("./his-messages.pt-BR.ts"),
  },
  "en-US": {
    entry: () => import("../../locales/en-US/messages.ts"),
    his: () => import("./his-messages.en-US.ts"),
  },
};

/** Whether the entry page shows more than its forms. */
let isWhole = false;

/** Loads the messages of every page into this one, in its language. */
export async function activateWholeLocale(): Promise<void> {
  isWhole = true;
  await activateLocale(activeLocale());
}

/** Loads the part of the locale's catalogue that this page needs, activates it, and sets the document's language. */
export async function activateLocale(locale: Locale): Promise<void> {
  const { entry, his } = catalogues[locale];
  const isEntry = !isWhole && document.querySelector("[data-island=auth]") !== null;
  const parts = await Promise.all(isEntry ? [entry()] : [entry(), his()]);
  const messages: Messages = Object.assign({}, ...parts.map((part) => part.messages));
  i18n._ = translateAsWritten;
  i18n.t = translateAsWritten;
  i18n.loadAndActivate({ locale, messages });
  document.documentElement.lang = locale;
}

/** Until its catalogue is there, the language that the document was begun in. */
export function activeLocale(): Locale {
  return (i18n.locale || document.documentElement.lang) === "en-US" ? "en-US" : "pt-BR";
}

export { i18n };
