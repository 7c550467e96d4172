import { type CharacterSet, decodeText, type TextKind } from "../character-set.ts";
import { tagHex } from "../tags.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { Element } from "./data-set.ts";
import { trimPaddingEnd } from "./padding.ts";

type NumberReader = [
  widthBytes: number,
  read: (view: DataView, at: number, littleEndian: boolean) => unknown,
];

const NUMBER_READERS: Readonly<Record<string, NumberReader>> = {
  US: [2, (view, at, le) => view.getUint16(at, le)],
  SS: [2, (view, at, le) => view.getInt16(at, le)],
  UL: [4, (view, at, le) => view.getUint32(at, le)],
  SL: [4, (view, at, le) => view.getInt32(at, le)],
  FL: [4, (view, at, le) => finiteOrNull(view.getFloat32(at, le))],
  FD: [8, (view, at, le) => finiteOrNull(view.getFloat64(at, le))],
  SV: [8, (view, at, le) => safeInteger(view.getBigInt64(at, le))],
  UV: [8, (view, at, le) => safeInteger(view.getBigUint64(at, le))],
  AT: [4, (view, at, le) => tagHex(((view.getUint16(at, le) << 16) | view.getUint16(at + 2, le)) >>> 0)],
};

/** Text VRs to which SpecificCharacterSet applies (PS3.5 §6.1.2.3). */
const LOCALISED = new Set(["LO", "LT", "PN", "SH", "ST", "UC", "UT"]);
/** Text VRs with exactly one value: a backslash is part of the text, and leading blanks are kept. */
const PARAGRAPHS = new Set(["LT", "ST", "UR", "UT"]);

/** Longest text that is parsed as a number; the standard allows 16 bytes. */
const MAX_NUMBER_LENGTH = 64;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Whether values of this VR are text or numbers, as opposed to bytes or items. */
export function hasValues(vr: string): boolean {
  return vr !== "SQ" && vr !== "UN" && !(vr.startsWith("O") && vr.length === 2);
}

/**
 * `Value` of an element in the DICOM JSON model (PS3.18 §F.2.4): null for an empty value among others, undefined if
 * there is no value at all. Numbers that JSON cannot express (NaN, ∞) are null. IS and DS that are not numbers, and SV
 * and UV beyond 2^53, are strings.
 */
export function jsonValues(
  reader: ByteReader,
  { vr, offset, length }: Pick<Element, "vr" | "offset" | "length">,
  littleEndian: boolean,
  characterSet: CharacterSet,
): unknown[] | undefined {
  const numberReader = NUMBER_READERS[vr];
  if (numberReader) return numbers(reader.bytes(offset, length), numberReader, littleEndian);
  const text = LOCALISED.has(vr)
    ? decodeText(reader.bytes(offset, length), characterSet, textKind(vr))
    : reader.latin1(offset, length);
  const trimmed = trimPaddingEnd(text);
  if (PARAGRAPHS.has(vr)) return trimmed === "" ? undefined : [trimmed];
  const values = trimmed.split("\\").map((value) => textValue(vr, value.trim()));
  return values.length === 1 && values[0] === null ? undefined : values;
}

function textKind(vr: string): TextKind {
  if (vr === "PN") return "personName";
  return PARAGRAPHS.has(vr) ? "paragraph" : "values";
}

function numbers(
  bytes: Uint8Array,
  [width, read]: NumberReader,
  littleEndian: boolean,
): unknown[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const values = [];
  for (let at = 0; at + width <= bytes.length; at += width) values.push(read(view, at, littleEndian));
  return values.length > 0 ? values : undefined;
}

function textValue(vr: string, text: string): unknown {
  if (text === "") return null;
  if (vr === "PN") return personName(text);
  return vr === "DS" || vr === "IS" ? numberOrText(text) : text;
}

function numberOrText(text: string): number | string {
  if (text.length > MAX_NUMBER_LENGTH || !DECIMAL.test(text)) return text;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

/** Null for a name that consists only of delimiters. */
function personName(text: string): Record<string, string> | null {
  const groups = text.split("=").map((group) => (/[^^\s]/.test(group) ? group.trim() : ""));
  const [alphabetic = "", ideographic = "", phonetic = ""] = groups;
  const name: Record<string, string> = {};
  if (alphabetic) name.Alphabetic = alphabetic;
  if (ideographic) name.Ideographic = ideographic;
  if (phonetic) name.Phonetic = phonetic;
  return Object.keys(name).length > 0 ? name : null;
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function safeInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
