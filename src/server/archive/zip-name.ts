/** The upper half of code page 437, which a ZIP name is in unless it says UTF-8 (APPNOTE appendix D). */
const CP437_UPPER =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

/** Decodes an entry's name for people to read. Many writers put UTF-8 there without saying so. */
export function decodeEntryName(bytes: Uint8Array, isUtf8: boolean): string {
  if (isUtf8) return new TextDecoder("utf-8").decode(bytes);
  if (bytes.every((byte) => byte < 0x80)) return Buffer.from(bytes).toString("latin1");
  return decodeStrictUtf8(bytes) ?? Array.from(bytes, cp437Character).join("");
}

function decodeStrictUtf8(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes).toString("utf8");
  return text.includes("\ufffd") ? undefined : text;
}

function cp437Character(byte: number): string {
  return byte < 0x80 ? String.fromCharCode(byte) : CP437_UPPER.charAt(byte - 0x80);
}
