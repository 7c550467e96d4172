/**
 * How text values of a data set are encoded (PS3.3 §C.12.1.1.2).
 * - `whole`: one encoding for every byte (UTF-8, GB 18030, GBK), no escapes;
 * - `iso2022`: what the two halves of the code table hold until an escape sequence says otherwise.
 */
export type CharacterSet =
  | { kind: "whole"; label: string }
  | { kind: "iso2022"; lower: Repertoire; upper: Repertoire; declared: boolean };

/** A label of TextDecoder, and how to convert the bytes of one half of the code table for it. */
interface Repertoire {
  label: string;
  /** Two bytes below 0x80 per character (JIS): for the decoder they get the high bit, and each pair gets `prefix`. */
  raised?: { prefix: readonly number[] };
}

/** Where escapes lose their effect, besides line ends: `\` between values, `^` and `=` within a person name. */
export type TextKind = "values" | "personName" | "paragraph";

const ASCII: Repertoire = { label: "ascii" };
const LATIN_1: Repertoire = { label: "windows-1252" };
const JAPANESE_HALF_WIDTH: Repertoire = { label: "shift_jis" };
const KANJI: Repertoire = { label: "euc-jp", raised: { prefix: [] } };
const SUPPLEMENTARY_KANJI: Repertoire = { label: "euc-jp", raised: { prefix: [0x8f] } };
const KOREAN: Repertoire = { label: "euc-kr" };
const CHINESE: Repertoire = { label: "gb18030" };
const LATIN_2: Repertoire = { label: "iso-8859-2" };
const LATIN_3: Repertoire = { label: "iso-8859-3" };
const LATIN_4: Repertoire = { label: "iso-8859-4" };
const LATIN_5: Repertoire = { label: "windows-1254" };
const LATIN_9: Repertoire = { label: "iso-8859-15" };
const CYRILLIC: Repertoire = { label: "iso-8859-5" };
const ARABIC: Repertoire = { label: "iso-8859-6" };
const GREEK: Repertoire = { label: "iso-8859-7" };
const HEBREW: Repertoire = { label: "iso-8859-8" };
const THAI: Repertoire = { label: "windows-874" };

/** Whose letters are two bytes each, both in the upper half. */
const PAIRED: ReadonlySet<Repertoire> = new Set([KOREAN, CHINESE]);

/** The registration numbers of defined terms such as `ISO_IR 100` and `ISO 2022 IR 149`. */
const UPPER_BY_REGISTRATION: Readonly<Record<string, Repertoire>> = {
  6: LATIN_1,
  13: JAPANESE_HALF_WIDTH,
  58: CHINESE,
  87: LATIN_1,
  100: LATIN_1,
  101: LATIN_2,
  109: LATIN_3,
  110: LATIN_4,
  126: GREEK,
  127: ARABIC,
  138: HEBREW,
  144: CYRILLIC,
  148: LATIN_5,
  149: KOREAN,
  159: LATIN_1,
  166: THAI,
  203: LATIN_9,
};

const WHOLE_BY_TERM: Readonly<Record<string, string>> = {
  ISOIR192: "utf-8",
  UTF8: "utf-8",
  GB18030: "gb18030",
  GBK: "gbk",
  GB2312: "gbk",
};

/** Escape sequences of PS3.3 tables C.12-3 and C.12-4, without ESC itself. */
const ESCAPES: Readonly<Record<string, { half: "lower" | "upper"; repertoire: Repertoire }>> = {
  "(B": { half: "lower", repertoire: ASCII },
  "(J": { half: "lower", repertoire: JAPANESE_HALF_WIDTH },
  ")I": { half: "upper", repertoire: JAPANESE_HALF_WIDTH },
  "-A": { half: "upper", repertoire: LATIN_1 },
  "-B": { half: "upper", repertoire: LATIN_2 },
  "-C": { half: "upper", repertoire: LATIN_3 },
  "-D": { half: "upper", repertoire: LATIN_4 },
  "-F": { half: "upper", repertoire: GREEK },
  "-G": { half: "upper", repertoire: ARABIC },
  "-H": { half: "upper", repertoire: HEBREW },
  "-L": { half: "upper", repertoire: CYRILLIC },
  "-M": { half: "upper", repertoire: LATIN_5 },
  "-T": { half: "upper", repertoire: THAI },
  "-b": { half: "upper", repertoire: LATIN_9 },
  $B: { half: "lower", repertoire: KANJI },
  "$@": { half: "lower", repertoire: KANJI },
  "$(D": { half: "lower", repertoire: SUPPLEMENTARY_KANJI },
  "$)A": { half: "upper", repertoire: CHINESE },
  "$)C": { half: "upper", repertoire: KOREAN },
};

const ESC = 0x1b;
const SPACE = 0x20;
const LINE_ENDS = [0x09, 0x0a, 0x0c, 0x0d];
const RESETS: Readonly<Record<TextKind, ReadonlySet<number>>> = {
  values: new Set([...LINE_ENDS, 0x5c]),
  personName: new Set([...LINE_ENDS, 0x5c, 0x5e, 0x3d]),
  paragraph: new Set(LINE_ENDS),
};

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

/** The character set of a data set without SpecificCharacterSet: ASCII by the standard, UTF-8 or Latin-1 in practice. */
export const DEFAULT_CHARACTER_SET: CharacterSet = {
  kind: "iso2022",
  lower: ASCII,
  upper: LATIN_1,
  declared: false,
};

/** Returns the character set that a value of SpecificCharacterSet (0008,0005) names, in any spelling. */
export function characterSetOf(specificCharacterSet: string): CharacterSet {
  const [first = "", second = ""] = specificCharacterSet
    .split("\\")
    .map((term) => term.toUpperCase().replace(/[^0-9A-Z]/g, ""));
  const whole = WHOLE_BY_TERM[first];
  if (whole) return { kind: "whole", label: whole };
  const registration = registrationOf(first);
  if (first === "" || registration === "6") return asciiAnd(second);
  const latin1 = first === "ISO88591" || first === "LATIN1" ? LATIN_1 : undefined;
  const upper = UPPER_BY_REGISTRATION[registration] ?? latin1;
  if (!upper) return DEFAULT_CHARACTER_SET;
  return {
    kind: "iso2022",
    lower: registration === "13" ? JAPANESE_HALF_WIDTH : ASCII,
    upper,
    declared: true,
  };
}

/** Devices write the letters of the second term without the escape sequence that should be before them. */
function asciiAnd(second: string): CharacterSet {
  const upper = UPPER_BY_REGISTRATION[registrationOf(second)] ?? LATIN_1;
  return { kind: "iso2022", lower: ASCII, upper, declared: false };
}

function registrationOf(term: string): string {
  return /^(?:ISO)?(?:2022)?(?:IR)?(\d{1,3})$/.exec(term)?.[1] ?? "";
}

/**
 * Decodes the text of a value field. Split it into values afterwards: a byte 0x5C may be half a character (Shift-JIS,
 * GBK). Bytes that are not in the named character set are read as Latin-1 or replaced, never rejected.
 */
export function decodeText(bytes: Uint8Array, characterSet: CharacterSet, kind: TextKind): string {
  const hasEscape = bytes.includes(ESC);
  if (!hasEscape && bytes.every((byte) => byte < 0x80)) return decoderOf("utf-8").decode(bytes);
  if (characterSet.kind === "whole") return decodeWhole(bytes, characterSet.label);
  if (hasEscape) return decodeEscaped(bytes, characterSet, RESETS[kind]);
  const { upper, declared } = characterSet;
  return declared || mayBe(bytes, upper) ? decoderOf(upper.label).decode(bytes) : decodeWhole(bytes, "utf-8");
}

/**
 * Whether bytes can be letters that SpecificCharacterSet names second, rather than the UTF-8 or Latin-1 of a device that always names
 * the same terms: letters lie above the controls of the upper half, and those of two bytes come in pairs.
 */
function mayBe(bytes: Uint8Array, upper: Repertoire): boolean {
  if (upper === LATIN_1 || bytes.some((byte) => byte >= 0x80 && byte < 0xa0)) return false;
  return !PAIRED.has(upper) || runsOfUpper(bytes).every((length) => length % 2 === 0);
}

/** The lengths of what lies together in the upper half. */
function runsOfUpper(bytes: Uint8Array): number[] {
  const runs = [0];
  for (const byte of bytes) {
    if (byte < 0x80) runs.push(0);
    else runs.push((runs.pop() ?? 0) + 1);
  }
  return runs;
}

/** If UTF-8 has no complete character beyond ASCII, the text is Latin-1 that was labelled wrongly. */
function decodeWhole(bytes: Uint8Array, label: string): string {
  const text = decoderOf(label).decode(bytes);
  const isMisnamed = label === "utf-8" && !/[^\p{ASCII}\ufffd]/u.test(text);
  return isMisnamed ? decoderOf(LATIN_1.label).decode(bytes) : text;
}

/** ISO/IEC 2022 code extension (PS3.5 §6.1.2.5), decoded run by run. */
function decodeEscaped(
  bytes: Uint8Array,
  initial: { lower: Repertoire; upper: Repertoire },
  resets: ReadonlySet<number>,
): string {
  let { lower, upper } = initial;
  let text = "";
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === ESC) {
      const found = escapeAt(bytes, at + 1);
      if (found?.half === "lower") lower = found.repertoire;
      if (found?.half === "upper") upper = found.repertoire;
      at += 1 + (found?.length ?? 0);
    } else if (isAlone(byte, lower, resets)) {
      if (byte !== SPACE) ({ lower, upper } = initial);
      text += String.fromCharCode(byte);
      at += 1;
    } else {
      const isUpper = byte >= 0x80;
      const end = runEnd(bytes, at, isUpper ? undefined : lower, resets);
      text += decodeRun(bytes.subarray(at, end), isUpper ? upper : lower);
      at = end;
    }
  }
  return text;
}

/**
 * Whether a byte ends the run that is decoded at once: a delimiter or, in two-byte Kanji, whose bytes include the codes
 * of delimiters, a control character or space.
 */
function isAlone(byte: number, lower: Repertoire, resets: ReadonlySet<number>): boolean {
  return lower.raised ? byte <= SPACE : resets.has(byte);
}

function escapeAt(bytes: Uint8Array, at: number) {
  for (const length of [3, 2]) {
    const found = ESCAPES[String.fromCharCode(...bytes.subarray(at, at + length))];
    if (found) return { ...found, length };
  }
  return undefined;
}

/** The end of the bytes in one half of the code table (`lower` undefined: the upper) that can be decoded at once. */
function runEnd(
  bytes: Uint8Array,
  start: number,
  lower: Repertoire | undefined,
  resets: ReadonlySet<number>,
): number {
  let end = start + 1;
  while (end < bytes.length) {
    const byte = bytes[end] ?? 0;
    if (byte === ESC || byte >= 0x80 !== (lower === undefined)) break;
    if (lower && isAlone(byte, lower, resets)) break;
    end += 1;
  }
  return end;
}

/** Before which writers do not always go back to ASCII. */
const DELIMITERS = "\\^=";

/** A delimiter without a second byte is kept; any other such byte is half a character, of a text that was cut. */
function decodeRun(bytes: Uint8Array, { label, raised }: Repertoire): string {
  const decoder = decoderOf(label);
  if (!raised) return decoder.decode(bytes);
  const last = bytes.length % 2 === 1 ? String.fromCharCode(bytes.at(-1) ?? 0) : "";
  const pairs: number[] = [];
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    pairs.push(...raised.prefix, (bytes[at] ?? 0) | 0x80, (bytes[at + 1] ?? 0) | 0x80);
  }
  return decoder.decode(Uint8Array.from(pairs)) + (DELIMITERS.includes(last) ? last : "");
}

function decoderOf(label: string): InstanceType<typeof TextDecoder> {
  let decoder = decoders.get(label);
  if (!decoder) {
    decoder = new TextDecoder(label, { ignoreBOM: true });
    decoders.set(label, decoder);
  }
  return decoder;
}
