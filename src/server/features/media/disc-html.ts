import { type Locale, locales } from "../../../shared/locale.ts";
import { calendarText } from "../../../shared/rules/calendar-text.ts";
import { translate } from "../../http/translate.ts";

const texts = {
  otherViewers: /*i18n*/ {
    id: "media.otherViewers",
    message: "Any other DICOM viewer opens this folder too, by the file DICOMDIR.",
  },
  notDiagnostic: /*i18n*/ { id: "media.notDiagnostic", message: "Not for primary diagnosis" },
};

/** Only what stands in the body itself: what the visor draws there has its own style, which also takes every margin away. */
const STYLE =
  "body>h1{margin:0 0 1.25rem}body>h2{margin:1.5rem 0 .5rem}body>ul{margin:0 0 1.5rem}body>:is(p,section){margin:1rem 0}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}dt{color:#555}dt>b{color:#111}dd{margin:0 0 .5rem}a{display:block;margin:.5rem 0}ul{display:flex;flex-wrap:wrap;gap:1rem;padding:0;list-style:none}li{width:9rem}time{white-space:nowrap}body>:is(h1,dl,ul){overflow-wrap:anywhere}li img{display:block;width:9rem;height:9rem;object-fit:contain;background:#000}";

/** A medium is read by people whose language nobody knows: each text stands in both. */
export function inBoth(
  text: { id: string; message: string },
  values?: Record<string, string>,
  between = " · ",
): string {
  return [...new Set(locales.map((locale: Locale) => translate(locale, text, values)))].join(between);
}

/**
 * The pieces of a page beside a DICOMDIR. It needs nothing beside it, because browsers let a page of a disc load nothing.
 * @param body HTML
 */
export function discPageOf(
  title: string,
  body: string,
  { discPage, readMe }: { /** The visor as one piece of HTML. */ discPage: Uint8Array; readMe: string },
): Uint8Array[] {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
  const before = `<!doctype html>
<html lang="pt-BR" data-theme="light">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(nonce)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style nonce="${nonce}">${STYLE}</style>
<h1>${escaped(title)}</h1>
${body}`;
  const behind = `<p>${escaped(inBoth(texts.otherViewers, undefined, "\n")).replaceAll("\n", "<br>")}</p>
<p><a href="DICOMDIR">DICOMDIR</a> <a href="${readMe}">${readMe}</a></p>
<p><small>${escaped(inBoth(texts.notDiagnostic))}</small></p>
</html>
`;
  return [Buffer.from(before), ...allowed(discPage, nonce), Buffer.from(behind)];
}

/**
 * Lets the page run its own script and styles, the workers that it holds and their codecs, and reach no address. Only files that a person
 * chooses are read, for which no policy is asked.
 */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    // The workers, which compile the codecs, have the page's policy.
    `script-src 'nonce-${nonce}' 'wasm-unsafe-eval'`,
    `style-src 'nonce-${nonce}'`,
    "img-src data: blob:",
    // The codecs are addresses of data.
    "connect-src data:",
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Adds the nonce to the page's style and script. The other pieces are views of `discPage`, which all media share. */
function allowed(discPage: Uint8Array, nonce: string): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let rest = Buffer.from(discPage.buffer, discPage.byteOffset, discPage.byteLength);
  for (const tag of ["<style", "<script"]) {
    const at = rest.indexOf(`${tag}>`);
    if (at < 0) break;
    pieces.push(rest.subarray(0, at + tag.length), Buffer.from(` nonce="${nonce}"`));
    rest = rest.subarray(at + tag.length);
  }
  return [...pieces, rest];
}

/** A day as the product's pages write it in each of these languages, as HTML. */
export function timeOf(isoDay: string, languages: readonly Locale[]): string {
  const shown = languages.map((locale) => escaped(calendarText(isoDay, locale))).join(" · ");
  return `<time datetime="${escaped(isoDay)}">${shown}</time>`;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
