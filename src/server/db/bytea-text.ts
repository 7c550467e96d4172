const BYTEA_OID = 17;
const HEX = "\\x";

/** How bytes travel as text: `\x…` in either direction, unless `bytea_output` is `escape`, as old programs want it. */
export const BYTEA = { to: BYTEA_OID, from: [BYTEA_OID], serialize: toText, parse: fromText };

function toText(bytes: Uint8Array): string {
  return HEX + Buffer.from(bytes).toString("hex");
}

function fromText(text: string): Buffer {
  return text.startsWith(HEX) ? Buffer.from(text.slice(HEX.length), "hex") : fromEscapes(text);
}

/** Each byte is its ASCII character, `\\` for a backslash, or `\ooo` in octal digits (PostgreSQL §8.4.2). */
function fromEscapes(text: string): Buffer {
  const characters = text.replace(/\\(\\|[0-7]{3})/g, (_, escaped: string) =>
    escaped === "\\" ? escaped : String.fromCharCode(Number.parseInt(escaped, 8)),
  );
  return Buffer.from(characters, "latin1");
}
