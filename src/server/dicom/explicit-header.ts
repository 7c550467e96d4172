import type { ByteReader } from "../../shared/dicom/reading/byte-reader.ts";
import { type DataSet, type Element, findElement } from "../../shared/dicom/reading/data-set.ts";
import { isSignDependent } from "../../shared/dicom/reading/dictionary.ts";
import { integerValue } from "../../shared/dicom/reading/element-text.ts";
import type { ByteSource } from "../../shared/dicom/reading/instance.ts";
import { LONG_FORM, SHORT_FORM } from "../../shared/dicom/reading/value-representation.ts";
import { wordBytes } from "../../shared/dicom/reading/word-size.ts";
import { Tag, TagHex } from "../../shared/dicom/tags.ts";
import { parseFile } from "./parse-file.ts";
import { swapInPlace } from "./swap-in-place.ts";
import { encodeFileMeta, paddingByte, preambleAndPrefix } from "./write-instance.ts";

/** What File Meta Information says of the file that is written. */
export interface WrittenFile {
  transferSyntaxUID: string;
  sopClassUID: string;
  sopInstanceUID: string;
}

/** Writing more of them would take the server more than about a tenth of a second. */
const MAX_ELEMENTS = 128 * 1024;
const UNDEFINED_LENGTH = 0xffffffff;
const MAX_SHORT_LENGTH = 0xffff;
const LONG_HEADER_BYTES = 12;
const NOTHING = new Uint8Array();

/** Pixel data that are encapsulated anew have other offsets and lengths. */
const DROPPED: ReadonlySet<number> = new Set([
  Tag.ExtendedOffsetTable,
  Tag.ExtendedOffsetTableLengths,
  Tag.EncapsulatedPixelDataValueTotalLength,
]);

/** Values, little-endian and of even lengths, to write in place of the data set's own. An element that is missing stays so. */
export type Replaced = ReadonlyMap<number, Uint8Array>;

/** The pixels of a data set as it describes them. */
export interface DescribedPixels {
  rows: number | undefined;
  columns: number | undefined;
  samplesPerPixel: number | undefined;
  bitsAllocated: number | undefined;
  bitsStored: number | undefined;
  isSigned: boolean;
  /** The VR of the element Pixel Data. */
  vr: string | undefined;
}

export interface WrittenHeader {
  bytes: Uint8Array;
  pixels: DescribedPixels;
  /** Whether elements behind Pixel Data are left out, padding aside. */
  isCut: boolean;
}

/**
 * Writes what comes before the pixel data of a file that has them in another transfer syntax: preamble, File Meta Information and
 * the data set as Explicit VR Little Endian (PS3.5 §A.2, §A.4). Values are those of `source`, but for the replaced ones of its outermost
 * data set; group lengths, which are retired, are left out.
 * @param source the file up to its pixel data, its data set inflated
 * @throws Unreadable if `source` is no DICOM file, or has too many elements
 */
export function explicitHeader(source: ByteSource, written: WrittenFile, replaced?: Replaced): WrittenHeader {
  const { reader, file } = parseFile(source, { isInflated: true, maxElements: MAX_ELEMENTS });
  const { sopClassUID, sopInstanceUID, transferSyntaxUID } = written;
  const uids = {
    [TagHex.SOPClassUID]: { vr: "UI", Value: [sopClassUID] },
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [sopInstanceUID] },
  };
  const writer = new HeaderWriter(reader);
  writer.bytes(preambleAndPrefix());
  writer.bytes(encodeFileMeta(transferSyntaxUID, uids, {}));
  const elements = file.dataSet.elements.filter(({ tag }) => tag < Tag.PixelData && !DROPPED.has(tag));
  writer.dataSet({ ...file.dataSet, elements }, false, replaced);
  const numberAt = (tag: number) => integerValue(reader, file.dataSet, tag);
  return {
    bytes: writer.written(),
    pixels: {
      rows: numberAt(Tag.Rows),
      columns: numberAt(Tag.Columns),
      samplesPerPixel: numberAt(Tag.SamplesPerPixel),
      bitsAllocated: numberAt(Tag.BitsAllocated),
      bitsStored: numberAt(Tag.BitsStored),
      isSigned: numberAt(Tag.PixelRepresentation) === 1,
      vr: findElement(file.dataSet, Tag.PixelData)?.vr,
    },
    isCut: file.dataSet.elements.some(({ tag }) => tag > Tag.PixelData && tag !== Tag.DataSetTrailingPadding),
  };
}

class HeaderWriter {
  readonly #reader: ByteReader;
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #length = 0;

  constructor(reader: ByteReader) {
    this.#reader = reader;
  }

  written(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  bytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #makeRoom(bytes: number): void {
    const end = this.#length + bytes;
    if (end <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(end, this.#buffer.length * 2));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }

  /** The header of an item or a delimiter. There may be a hundred thousand of them, so none is an array of its own. */
  #delimiter(tag: number, length: number): void {
    this.#makeRoom(LONG_HEADER_BYTES);
    this.#tag(tag);
    this.#length = this.#buffer.writeUInt32LE(length, this.#length);
  }

  #header(tag: number, vr: string, length: number): void {
    this.#makeRoom(LONG_HEADER_BYTES);
    this.#tag(tag);
    this.#length = this.#buffer.writeUInt16LE(vr.charCodeAt(0) | (vr.charCodeAt(1) << 8), this.#length);
    if (!LONG_FORM.has(vr)) {
      this.#length = this.#buffer.writeUInt16LE(length, this.#length);
      return;
    }
    this.#length = this.#buffer.writeUInt16LE(0, this.#length);
    this.#length = this.#buffer.writeUInt32LE(length, this.#length);
  }

  #tag(tag: number): void {
    this.#length = this.#buffer.writeUInt16LE(tag >>> 16, this.#length);
    this.#length = this.#buffer.writeUInt16LE(tag & 0xffff, this.#length);
  }

  /** @param isSigned whether the data set around it says so */
  dataSet(dataSet: DataSet, isSigned: boolean, replaced?: Replaced): void {
    const representation = integerValue(this.#reader, dataSet, Tag.PixelRepresentation);
    const isSignedHere = representation === undefined ? isSigned : representation === 1;
    for (const element of dataSet.elements) {
      // Group lengths count the bytes of another encoding.
      if ((element.tag & 0xffff) === 0) continue;
      const value = replaced?.get(element.tag);
      if (value) this.#write(element.tag, element.vr, value);
      else this.#element(element, dataSet, isSignedHere);
    }
  }

  #element(element: Element, { encoding }: DataSet, isSigned: boolean): void {
    const { tag, items, fragments } = element;
    if (items) this.#sequence(tag, items, isSigned);
    else if (fragments) this.#fragments(tag, fragments);
    else this.#write(tag, writtenVr(element, isSigned), this.#value(element, encoding.littleEndian));
  }

  #write(tag: number, vr: string, value: Uint8Array): void {
    this.#header(tag, vr, value.length);
    if (value.length > 0) this.bytes(value);
  }

  #sequence(tag: number, items: readonly DataSet[], isSigned: boolean): void {
    this.#header(tag, "SQ", UNDEFINED_LENGTH);
    for (const item of items) {
      this.#delimiter(Tag.Item, UNDEFINED_LENGTH);
      this.dataSet(item, isSigned);
      this.#delimiter(Tag.ItemDelimitationItem, 0);
    }
    this.#delimiter(Tag.SequenceDelimitationItem, 0);
  }

  /** Encapsulated pixel data of an icon, which stay in their syntax. */
  #fragments(tag: number, fragments: readonly [offset: number, length: number][]): void {
    this.#header(tag, "OB", UNDEFINED_LENGTH);
    for (const [offset, length] of fragments) {
      this.#delimiter(Tag.Item, length);
      this.bytes(this.#reader.bytes(offset, length));
    }
    this.#delimiter(Tag.SequenceDelimitationItem, 0);
  }

  /** Little-endian and of an even length. */
  #value({ vr, offset, length }: Element, littleEndian: boolean): Uint8Array {
    if (length === 0) return NOTHING;
    const view = this.#reader.bytes(offset, length);
    const width = wordBytes(vr);
    if (length % 2 === 0 && (littleEndian || width === 1)) return view;
    const value = Buffer.alloc(length + (length % 2));
    value.set(view);
    if (length % 2 === 1) value[length] = paddingByte(vr);
    if (!littleEndian) swapInPlace(value.subarray(0, length), width);
    return value;
  }
}

/** The VR to write. The value of an element with an implicit VR may be too long for the short form: it is UN or OW then (PS3.5 §6.2.2). */
function writtenVr({ tag, vr, implicit, length }: Element, isSigned: boolean): string {
  const known = implicit && isSigned && isSignDependent(tag) ? "SS" : vr;
  if (length <= MAX_SHORT_LENGTH - 1 || !SHORT_FORM.has(known)) return known;
  return known === "US" || known === "SS" ? "OW" : "UN";
}
