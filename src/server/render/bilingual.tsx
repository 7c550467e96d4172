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
 * A text in every language; the style sheet shows that of the document. The server does not know the language: the
 * browser stores it, and the inline script reads it before the first paint.
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
