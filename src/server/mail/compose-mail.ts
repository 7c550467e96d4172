import type { Locale } from "../../shared/locale.ts";
import { translate } from "../http/translate.ts";
import type { Mail } from "./mailer.ts";

interface Text {
  id: string;
  message: string;
}

/** The content of a mail before it is translated. */
export interface MailContent {
  subject: Text;
  paragraphs: Text[];
  /** Shown on its own: a six-digit code, or an address with the text of its button. */
  highlight?: { code: string } | { url: string; label: Text };
  /** Shown after the highlight, e.g. how long it is valid. */
  footnotes?: Text[];
  values?: Record<string, string | number>;
}

/** A mail in the reader's language, as HTML and as plain text (a code alone on its line, a link written out). */
export function composeMail(
  content: MailContent,
  options: { to: string; locale: Locale; productName: string },
): Mail {
  const { to, locale, productName } = options;
  const say = (text: Text) => translate(locale, text, { ...content.values, productName });
  const subject = say(content.subject);
  const untyped = Object.fromEntries(
    Object.entries(content.values ?? {}).map(([name, value]) => [
      name,
      typeof value === "string" ? "…" : value,
    ]),
  );
  const loggedSubject = translate(locale, content.subject, { ...untyped, productName });
  const before = content.paragraphs.map(say);
  const after = (content.footnotes ?? []).map(say);
  const { highlight } = content;
  const shown = highlight && ("code" in highlight ? highlight.code : highlight.url);
  const text = [...before, ...(shown ? [shown] : []), ...after, productName].join("\n\n");
  const html = page(
    locale,
    productName,
    [
      ...before.map(paragraph),
      highlight ? highlighted(highlight, "label" in highlight ? say(highlight.label) : "") : "",
      ...after.map(
        (footnote) => `<p style="margin:0 0 12px;color:#5b6670;font-size:13px">${escapeHtml(footnote)}</p>`,
      ),
    ].join("\n"),
  );
  return { to, subject, loggedSubject, text: `${text}\n`, html };
}

function paragraph(text: string): string {
  return `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`;
}

function highlighted(highlight: NonNullable<MailContent["highlight"]>, label: string): string {
  if ("code" in highlight) {
    return `<p style="margin:0 0 20px;font:600 32px/1.2 monospace;letter-spacing:6px">${escapeHtml(highlight.code)}</p>`;
  }
  const url = escapeHtml(highlight.url);
  return `<p style="margin:0 0 20px"><a href="${url}" style="display:inline-block;padding:12px 20px;border-radius:7px;background:#0d4b5c;color:#fff;text-decoration:none;font-weight:600">${escapeHtml(label)}</a></p>
<p style="margin:0 0 16px;font-size:13px;word-break:break-all">${url}</p>`;
}

function page(locale: Locale, productName: string, body: string): string {
  return `<!doctype html>
<html lang="${locale}"><head><meta charset="utf-8"><title>${escapeHtml(productName)}</title></head>
<body style="margin:0;padding:24px;background:#f3f5f6;color:#16202a;font:15px/1.5 system-ui,sans-serif">
<div style="max-width:520px;margin:0 auto;padding:28px;border-radius:12px;background:#fff">
<p style="margin:0 0 20px;font-weight:600;font-size:17px">${escapeHtml(productName)}</p>
${body}
</div></body></html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
