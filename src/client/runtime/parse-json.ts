/** The value of a JSON text; undefined if the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whatever it throws is about the text.
    return undefined;
  }
}
