import { Tag, tagHex } from "../tags.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { DataSet, Element, Encoding } from "./data-set.ts";
import { dictionaryVr } from "./dictionary.ts";
import { Unreadable } from "./unreadable.ts";
import { looksLikeVr, valueRepresentationOf } from "./value-representation.ts";

const MAX_DEPTH = 32;
const MAX_ELEMENTS = 500_000;
const UNDEFINED_LENGTH = 0xffffffff;
const IMPLICIT_LITTLE_ENDIAN: Encoding = { explicit: false, littleEndian: true };

/** What ends a data set: the end of the file, a length, or an Item Delimitation Item. */
type Closing = "file" | "length" | "delimiter";

interface Header {
  tag: number;
  vr: string;
  implicit: boolean;
  length: number;
  valueOffset: number;
}

/**
 * Parses a data set (PS3.5 §7) without reading its values. Every length is cut to the bytes that are present. Depth and
 * number of elements, items and fragments are bounded (`instance.too_complex`). Mistakes that lose no bytes are ignored.
 */
export class DataSetParser {
  /** What extends past the end of the file; undefined if nothing does. */
  truncation: string | undefined;
  /** Whether the file ends where a delimiter should close encapsulated pixel data. */
  openEnded = false;
  readonly #reader: ByteReader;
  readonly #maxElements: number;
  #budget: number;

  constructor(reader: ByteReader, maxElements = MAX_ELEMENTS) {
    this.#reader = reader;
    this.#maxElements = maxElements;
    this.#budget = maxElements;
  }

  parse(offset: number, encoding: Encoding): DataSet {
    return this.#dataSet(offset, this.#reader.sizeBytes, encoding, 0, "file").dataSet;
  }

  #dataSet(start: number, end: number, encoding: Encoding, depth: number, closing: Closing) {
    if (depth > MAX_DEPTH) throw new Unreadable("instance.too_complex", `nested deeper than ${MAX_DEPTH}`);
    const dataSet: DataSet = { encoding, elements: [] };
    let at = start;
    let sawPixelData = false;
    while (end - at >= 8) {
      this.#spend();
      const tag = this.#reader.tag(at, encoding.littleEndian);
      if (tag >>> 16 === 0xfffe) {
        if (closing === "delimiter" && tag === Tag.ItemDelimitationItem) return { dataSet, next: at + 8 };
        if (closing === "delimiter" && tag === Tag.SequenceDelimitationItem) return { dataSet, next: at };
        at += 8;
        continue;
      }
      if (closing === "file" && isPadding(tag, sawPixelData ? dataSet : undefined)) {
        return { dataSet, next: end };
      }
      const header = this.#header(at, end, tag, encoding);
      if (!header || (sawPixelData && encoding.explicit && header.implicit)) break;
      const element = this.#element(header, end, encoding, depth);
      dataSet.elements.push(element);
      at = element.offset + element.length;
      sawPixelData ||= depth === 0 && tag === Tag.PixelData;
    }
    if (closing === "delimiter" && end === this.#reader.sizeBytes) this.#truncate("an item is not closed");
    if (closing === "file" && !sawPixelData) this.#checkRest(at, end);
    return { dataSet, next: end };
  }

  /** Undefined if not even the header fits. */
  #header(at: number, end: number, tag: number, { explicit, littleEndian }: Encoding): Header | undefined {
    if (explicit) {
      const code = this.#reader.u16(at + 4, false);
      const known = valueRepresentationOf(code);
      if (known?.longForm || (!known && looksLikeVr(code) && this.#isLongForm(at, end, littleEndian))) {
        if (end - at < 12) return undefined;
        const length = this.#reader.u32(at + 8, littleEndian);
        return { tag, vr: known?.vr ?? "UN", implicit: false, length, valueOffset: at + 12 };
      }
      if (known || looksLikeVr(code)) {
        const length = this.#reader.u16(at + 6, littleEndian);
        return { tag, vr: known?.vr ?? "UN", implicit: false, length, valueOffset: at + 8 };
      }
    }
    const length = this.#reader.u32(at + 4, littleEndian);
    return { tag, vr: dictionaryVr(tag), implicit: true, length, valueOffset: at + 8 };
  }

  /** An unknown VR has the long form (PS3.5 §7.1.2) unless the bytes make no sense in that form. */
  #isLongForm(at: number, end: number, littleEndian: boolean): boolean {
    if (end - at < 12 || this.#reader.u16(at + 6, littleEndian) !== 0) return false;
    const length = this.#reader.u32(at + 8, littleEndian);
    return length === UNDEFINED_LENGTH || length <= end - at - 12;
  }

  #element(header: Header, end: number, encoding: Encoding, depth: number): Element {
    const { tag, implicit, length, valueOffset: offset } = header;
    const element: Element = { tag, vr: header.vr, offset, length, implicit };
    const valueEncoding = header.vr === "UN" ? this.#encodingInUnknown(offset, end, encoding) : encoding;
    const itemEncoding = implicit && encoding.explicit ? { ...encoding, explicit: false } : valueEncoding;
    if (length === UNDEFINED_LENGTH) {
      if (tag === Tag.PixelData || header.vr === "OB" || header.vr === "OW") {
        this.#fragments(element, end, encoding.littleEndian);
      } else {
        element.vr = "SQ";
        element.items = [];
        const next = this.#items(element.items, offset, end, itemEncoding, depth, "delimiter");
        element.length = next - offset;
      }
      return element;
    }
    element.length = this.#clip(tag, offset, length, end);
    if (header.vr === "UN") element.vr = this.#knownVr(element, valueEncoding.littleEndian);
    if (element.vr === "SQ") {
      element.items = [];
      this.#items(element.items, offset, offset + element.length, itemEncoding, depth, "length");
    }
    return element;
  }

  /**
   * A standard element or a private creator written as UN, as archives do with elements they do not know, gets its own
   * VR back (PS3.5 §6.2.2, §7.8.1); it becomes a sequence only if its value begins with an item.
   */
  #knownVr({ tag, offset, length }: Element, littleEndian: boolean): string {
    const vr = dictionaryVr(tag);
    if (vr !== "SQ" || length === 0) return vr;
    return length >= 8 && this.#reader.tag(offset, littleEndian) === Tag.Item ? "SQ" : "UN";
  }

  /** Inside UN items are Implicit VR Little Endian (PS3.5 §6.2.2, note 3), but some writers keep explicit VRs. */
  #encodingInUnknown(offset: number, end: number, outer: Encoding): Encoding {
    if (end - offset < 16 || !outer.explicit) return outer;
    const explicit = valueRepresentationOf(this.#reader.u16(offset + 12, false)) !== undefined;
    return explicit ? outer : IMPLICIT_LITTLE_ENDIAN;
  }

  #items(
    items: DataSet[],
    start: number,
    end: number,
    encoding: Encoding,
    depth: number,
    closing: Closing,
  ): number {
    const { littleEndian } = encoding;
    let at = start;
    while (end - at >= 8) {
      this.#spend();
      const tag = this.#reader.tag(at, littleEndian);
      const length = this.#reader.u32(at + 4, littleEndian);
      if (tag === Tag.SequenceDelimitationItem) return at + 8;
      if (tag !== Tag.Item) return closing === "delimiter" ? at : end;
      at += 8;
      if (length === UNDEFINED_LENGTH) {
        const { dataSet, next } = this.#dataSet(at, end, encoding, depth + 1, "delimiter");
        items.push(dataSet);
        at = next;
      } else {
        const itemEnd = at + this.#clip(tag, at, length, end);
        items.push(this.#dataSet(at, itemEnd, encoding, depth + 1, "length").dataSet);
        at = itemEnd;
      }
    }
    if (closing === "delimiter" && end === this.#reader.sizeBytes) this.#truncate("a sequence is not closed");
    return end;
  }

  /** Encapsulated pixel data (PS3.5 §A.4): only the headers of the items are read. */
  #fragments(element: Element, end: number, littleEndian: boolean): void {
    const fragments: [number, number][] = [];
    element.fragments = fragments;
    let at = element.offset;
    while (end - at >= 8) {
      this.#spend();
      const tag = this.#reader.tag(at, littleEndian);
      const length = this.#reader.u32(at + 4, littleEndian);
      if (tag !== Tag.Item) {
        element.length = at - element.offset + (tag === Tag.SequenceDelimitationItem ? 8 : 0);
        return;
      }
      const there = this.#clip(element.tag, at + 8, length, end);
      fragments.push([at + 8, there]);
      at += 8 + there;
    }
    element.length = end - element.offset;
    if (at !== end) this.#truncate(`${tagHex(element.tag)} ends within an item's header`);
    this.openEnded ||= end === this.#reader.sizeBytes;
  }

  /** How many bytes of `length` are present before `end`. Exceeding the file is a truncation, exceeding a parent is not. */
  #clip(tag: number, offset: number, length: number, end: number): number {
    const missing = offset + length - this.#reader.sizeBytes;
    if (missing > 0) this.#truncate(`${tagHex(tag)} has ${length} bytes, ${missing} are missing`);
    return Math.max(0, Math.min(length, end - offset));
  }

  /** Checks the bytes after the last element: zeros are padding, others are the beginning of a truncated element. */
  #checkRest(at: number, end: number): void {
    const length = Math.min(end - at, 12);
    if (length <= 0) return;
    if (this.#reader.bytes(at, length).some((byte) => byte !== 0)) {
      this.#truncate(`${end - at} bytes at ${at} are no whole element`);
    }
  }

  #truncate(what: string): void {
    this.truncation ??= what;
  }

  #spend(): void {
    if (--this.#budget < 0)
      throw new Unreadable("instance.too_complex", `more than ${this.#maxElements} elements`);
  }
}

/**
 * Whether bytes at the top level are not an element any more: zeros, or what follows the pixel data with a tag that
 * should have come before them.
 */
function isPadding(tag: number, afterPixelData: DataSet | undefined): boolean {
  if (tag === 0) return true;
  const previous = afterPixelData?.elements.at(-1);
  return previous !== undefined && tag <= previous.tag;
}
