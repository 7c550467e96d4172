/** What XML 1.0 allows in no form (§2.2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ESCAPED = /[&<>\r]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\r": "&#13;",
};

/** A text as XML has it between tags. Each character that XML can't have is U+FFFD. */
export function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replace(FORBIDDEN, "\ufffd")
    .replace(ESCAPED, (character) => ESCAPES[character] ?? "");
}

/** As {@link xmlText}, in double quotes. */
export function xmlAttribute(text: string): string {
  return `"${xmlText(text).replace(/"/g, "&quot;").replace(/\n/g, "&#10;").replace(/\t/g, "&#9;")}"`;
}
