/**
 * Values of a message, such as names, so that it shows them as they are: Lingui takes `\u003c` and `\x3c` in a text for the character, also
 * where a value brought them.
 */
export function asWritten<Values extends Record<string, unknown>>(values: Values): Values {
  const written = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === "string" ? value.replaceAll("\\", "\\x5c") : value,
  ]);
  return Object.fromEntries(written);
}
