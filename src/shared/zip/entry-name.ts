import { crc32 } from "./crc32.ts";
import { type CentralHeader, viewOf } from "./zip-format.ts";

/**
 * The upper half of code page 850, in which programs of DOS and Windows in Brazil and Western Europe encode names.
 * APPNOTE appendix D names code page 437: most letters have the same bytes in it, but it has boxes in the place of "ã"
 * and "õ".
 */
const CP850_UPPER =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0";

/** Version and CRC-32 in front of the name in a Unicode Path field. */
const UNICODE_PATH_HEADER_BYTES = 5;

const utf8 = new TextDecoder();

/** An entry's name, to be shown and for the rule of skipped names. Many writers use UTF-8 without setting the flag for it. */
export function entryName({
  nameBytes,
  isUtf8,
  unicodePath,
}: Pick<CentralHeader, "nameBytes" | "isUtf8" | "unicodePath">): string {
  if (isUtf8) return utf8.decode(nameBytes);
  const path = unicodePath && readUnicodePath(unicodePath, nameBytes);
  return path ?? decodeStrictUtf8(nameBytes) ?? Array.from(nameBytes, cp850Character).join("");
}

/**
 * The field counts only for the name that it was written for (APPNOTE §4.6.9), because a later program may have renamed
 * the entry.
 */
function readUnicodePath(field: Uint8Array, nameBytes: Uint8Array): string | undefined {
  if (field.length <= UNICODE_PATH_HEADER_BYTES || field[0] !== 1) return undefined;
  if (viewOf(field).getUint32(1, true) !== crc32(nameBytes)) return undefined;
  return decodeStrictUtf8(field.subarray(UNICODE_PATH_HEADER_BYTES));
}

function decodeStrictUtf8(bytes: Uint8Array): string | undefined {
  const text = utf8.decode(bytes);
  return text.includes("\ufffd") ? undefined : text;
}

function cp850Character(byte: number): string {
  return byte < 0x80 ? String.fromCharCode(byte) : CP850_UPPER.charAt(byte - 0x80);
}
