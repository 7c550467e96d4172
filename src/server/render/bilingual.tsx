/** @jsxImportSource hono/jsx */
import { locales } from "../../shared/locale.ts";
import { translate } from "../http/translate.ts";

export interface ShellText {
  id: string;
  message: string;
}

interface BilingualProps {
  text: ShellText;
  values?: Record<string, string | number>;
}

/**
 * A text in every language; the style sheet shows the one of the document. The server can't know it: it is kept
 * in the browser, where the inline script reads it before the first paint.
 */
export function Bilingual({ text, values }: BilingualProps) {
  return (
    <>
      {locales.map((locale) => (
        <span key={locale} lang={locale} data-language={locale}>
          {translate(locale, text, values)}
        </span>
      ))}
    </>
  );
}
