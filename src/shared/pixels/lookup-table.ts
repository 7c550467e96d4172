import type { DicomJsonElement } from "../dicom/dicom-json.ts";
import { numberOf } from "../dicom/json-values.ts";
import { expandSegments } from "./segmented-table.ts";

/** A table in which values are looked up (PS3.3 §C.11.1, §C.11.2, §C.7.6.3.1.5). */
export interface LookupTable {
  /** The value that the first entry stands for. */
  first: number;
  /** How many bits of each entry are used. */
  bits: number;
  entries: ArrayLike<number>;
}

const MAX_ENTRIES = 0x10000;
/** Discrete segments of one entry each take three words. */
const MAX_SEGMENT_WORDS = 3 * MAX_ENTRIES;

/**
 * The descriptor's entry count 0 means 65,536; entries of 8 bits may be packed (PS3.3 §C.7.6.3.1.5).
 * @param data the entries themselves, or segments of them (PS3.3 §C.7.9.2)
 * @param lowest of the values that may be looked up
 */
export function lookupTable(
  descriptor: DicomJsonElement | undefined,
  data: { plain: DicomJsonElement | undefined; segmented?: DicomJsonElement | undefined },
  lowest: number,
): LookupTable | undefined {
  // Of 16 bits, also where a file writes it with a sign or in more.
  const count = (numberOf(descriptor) ?? 0) & 0xffff || MAX_ENTRIES;
  const declared = numberOf(descriptor, 1);
  const first = declared === undefined ? undefined : withSign(declared, lowest);
  const bits = numberOf(descriptor, 2);
  if (first === undefined || bits === undefined) return undefined;
  const entries = data.plain
    ? entriesOf(data.plain, count)
    : data.segmented && segmentedEntriesOf(data.segmented, count, bits);
  if (!entries || entries.length === 0) return undefined;
  return { first, bits: Math.min(16, Math.max(1, bits, bitsNeeded(entries))), entries };
}

/** Some files declare 8 bits, and write the 8 higher ones of 16. */
function bitsNeeded(entries: ArrayLike<number>): number {
  let highest = 0;
  for (let at = 0; at < entries.length; at++) highest = Math.max(highest, entries[at] ?? 0);
  return Math.floor(highest).toString(2).length;
}

/** A number of 16 bits, of which many a file does not write the sign: negative if one so low can be meant. */
export function withSign(declared: number, lowest: number): number {
  const negative = declared - 0x10000;
  return declared > 0x7fff && negative >= lowest ? negative : declared;
}

function entriesOf(data: DicomJsonElement, count: number): ArrayLike<number> {
  // Those of a modality may be negative.
  if (data.Value) return data.Value.slice(0, MAX_ENTRIES).map(Number);
  const bytes = inlineBytes(data);
  return bytes.length < count * 2 ? bytes.subarray(0, count) : wordsOf(data, count);
}

function segmentedEntriesOf(data: DicomJsonElement, count: number, bits: number): ArrayLike<number> {
  const words = wordsOf(data, MAX_SEGMENT_WORDS);
  // The first segment is discrete: its first word is 0, or the 0 and the length of one that is written in bytes.
  if (bits > 8 || words[0] === 0) return expandSegments(words, 2, count);
  return expandSegments(new Uint8Array(words.buffer), 1, count);
}

/** Numbers with a sign, or of more bits, become those of their lower 16 bits. */
function wordsOf(data: DicomJsonElement, limit: number): Uint16Array {
  if (data.Value) return Uint16Array.from(data.Value.slice(0, limit), Number);
  const bytes = inlineBytes(data);
  const length = Math.min(limit, bytes.length >> 1);
  return Uint16Array.from({ length }, (_, i) => (bytes[i * 2] ?? 0) | ((bytes[i * 2 + 1] ?? 0) << 8));
}

/** The bytes that an element of the DICOM JSON model holds itself (PS3.18 §F.2.7). */
export function inlineBytes({
  InlineBinary,
}: Pick<DicomJsonElement, "InlineBinary">): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(InlineBinary ?? ""), (letter) => letter.charCodeAt(0));
}
