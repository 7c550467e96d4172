import { type CharacterSet, characterSetOf, DEFAULT_CHARACTER_SET } from "../character-set.ts";
import { reverseWords } from "../reverse-words.ts";
import { Tag, tagHex } from "../tags.ts";
import type { ByteReader } from "./byte-reader.ts";
import { type DataSet, type Element, PIXEL_DATA_TAGS } from "./data-set.ts";
import { isSignDependent } from "./dictionary.ts";
import { asciiValue, integerValue } from "./element-text.ts";
import type { DicomJson, DicomJsonElement } from "./instance.ts";
import { hasValues, jsonValues } from "./json-values.ts";
import { latin1Text } from "./latin1-text.ts";
import { Unreadable } from "./unreadable.ts";
import { wordBytes } from "./word-size.ts";

const MAX_INLINE_BINARY_BYTES = 1024;
const MAX_INLINE_TABLE_BYTES = 256 * 1024;
const MAX_INLINE_VALUE_BYTES = 1024 * 1024;
const MAX_INLINE_TOTAL_BYTES = 32 * 1024 * 1024;
/** What the JSON of one data set takes at most; half a million elements of a few bytes each take less. */
export const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** Lookup tables that a viewer needs to show anything; it reads them from the metadata only. */
const TABLE_TAGS: ReadonlySet<number> = new Set([
  Tag.RedPaletteColorLookupTableDescriptor,
  Tag.GreenPaletteColorLookupTableDescriptor,
  Tag.BluePaletteColorLookupTableDescriptor,
  Tag.RedPaletteColorLookupTableData,
  Tag.GreenPaletteColorLookupTableData,
  Tag.BluePaletteColorLookupTableData,
  Tag.SegmentedRedPaletteColorLookupTableData,
  Tag.SegmentedGreenPaletteColorLookupTableData,
  Tag.SegmentedBluePaletteColorLookupTableData,
  Tag.LUTData,
]);

/** What items inherit from the data set around them. */
interface Scope {
  characterSet: CharacterSet;
  isSigned: boolean;
  /** Tag path of the data set: empty, or ending with a full stop. */
  path: string;
}

/**
 * Converts a data set to the DICOM JSON model (PS3.18 annex F): text in UTF-8, without group lengths.
 *
 * @param bulkDataUri returns the URI of a value that is not inline: pixel data, bytes above 1 kB (lookup tables: 256
 * kB), anything above 1 MB. Its argument is the tag path `TTTTTTTT` or, in items, `TTTTTTTT.2.TTTTTTTT`, with items
 * counted from 1.
 * @throws Unreadable `instance.too_complex` if the inline values take more than 32 MB, or are so many that the JSON would take more
 *   than 64 MB
 */
export function toDicomJson(
  reader: ByteReader,
  dataSet: DataSet,
  bulkDataUri: (tagPath: string) => string,
): DicomJson {
  const writer = new JsonWriter(reader, bulkDataUri);
  const json = writer.dataSet(dataSet, { characterSet: DEFAULT_CHARACTER_SET, isSigned: false, path: "" });
  json[tagHex(Tag.SpecificCharacterSet)] = { vr: "CS", Value: ["ISO_IR 192"] };
  return json;
}

class JsonWriter {
  readonly #reader: ByteReader;
  readonly #bulkDataUri: (tagPath: string) => string;
  #budgetBytes = MAX_INLINE_TOTAL_BYTES;
  #jsonBytes = 0;

  constructor(reader: ByteReader, bulkDataUri: (tagPath: string) => string) {
    this.#reader = reader;
    this.#bulkDataUri = bulkDataUri;
  }

  dataSet(dataSet: DataSet, outer: Scope): DicomJson {
    const scope = this.#scopeOf(dataSet, outer);
    const json: DicomJson = {};
    for (const element of dataSet.elements) {
      if ((element.tag & 0xffff) === 0) continue;
      json[tagHex(element.tag)] = this.#element(element, dataSet.encoding.littleEndian, scope);
    }
    return json;
  }

  #scopeOf(dataSet: DataSet, outer: Scope): Scope {
    const named = asciiValue(this.#reader, dataSet, Tag.SpecificCharacterSet);
    const representation = integerValue(this.#reader, dataSet, Tag.PixelRepresentation);
    return {
      path: outer.path,
      characterSet: named === undefined ? outer.characterSet : characterSetOf(named),
      isSigned: representation === undefined ? outer.isSigned : representation === 1,
    };
  }

  #element(element: Element, littleEndian: boolean, scope: Scope): DicomJsonElement {
    const { tag, items, offset, length } = element;
    if (items) return this.#sequence(tag, items, scope);
    const vr = element.implicit && scope.isSigned && isSignDependent(tag) ? "SS" : element.vr;
    if (tag === Tag.SpecificCharacterSet) return { vr, Value: ["ISO_IR 192"] };
    if (length === 0) return { vr };
    if (!isInline(element, scope)) {
      const BulkDataURI = this.#bulkDataUri(scope.path + tagHex(tag));
      this.#write(BulkDataURI.length);
      return { vr, BulkDataURI };
    }
    this.#spend(length);
    if (!hasValues(vr)) return { vr, InlineBinary: this.#base64(element, littleEndian) };
    const Value = jsonValues(this.#reader, { vr, offset, length }, littleEndian, scope.characterSet);
    if (!Value) return { vr };
    for (const value of Value) this.#write(leastJsonBytes(value));
    return { vr, Value };
  }

  #sequence(tag: number, items: DataSet[], scope: Scope): DicomJsonElement {
    if (items.length === 0) return { vr: "SQ" };
    const path = `${scope.path}${tagHex(tag)}.`;
    return {
      vr: "SQ",
      Value: items.map((item, i) => this.dataSet(item, { ...scope, path: `${path}${i + 1}.` })),
    };
  }

  /** Little-endian, as PS3.18 §F.2.7 requires. */
  #base64({ vr, offset, length }: Element, littleEndian: boolean): string {
    const view = this.#reader.bytes(offset, length);
    const width = wordBytes(vr);
    return btoa(latin1Text(littleEndian ? view : reverseWords(view.slice(), width)));
  }

  #spend(sizeBytes: number): void {
    this.#budgetBytes -= sizeBytes;
    if (this.#budgetBytes < 0) {
      throw new Unreadable("instance.too_complex", `more than ${MAX_INLINE_TOTAL_BYTES} bytes of attributes`);
    }
  }

  /** A name of one letter becomes an object with a key, many times as large. */
  #write(leastBytes: number): void {
    this.#jsonBytes += leastBytes;
    if (this.#jsonBytes > MAX_JSON_BYTES)
      throw new Unreadable("instance.too_complex", `more than ${MAX_JSON_BYTES} bytes of JSON`);
  }
}

/** What a value takes in JSON at least, with the comma behind it. */
function leastJsonBytes(value: unknown): number {
  if (typeof value === "string") return value.length + 3;
  if (typeof value === "number") return String(value).length + 1;
  if (value === null) return 5;
  return Object.entries(value as Record<string, string>).reduce(
    (sum, [group, name]) => sum + group.length + name.length + 6,
    2,
  );
}

function isInline({ tag, vr, length, fragments }: Element, scope: Scope): boolean {
  if (fragments || (scope.path === "" && PIXEL_DATA_TAGS.has(tag))) return false;
  if (TABLE_TAGS.has(tag)) return length <= MAX_INLINE_TABLE_BYTES;
  return length <= (hasValues(vr) ? MAX_INLINE_VALUE_BYTES : MAX_INLINE_BINARY_BYTES);
}
