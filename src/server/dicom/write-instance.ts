import { deflateRawSync } from "node:zlib";
import { META_START, PREAMBLE_BYTES } from "../../shared/dicom/instance-start.ts";
import { LONG_FORM } from "../../shared/dicom/reading/value-representation.ts";
import { Tag, TagHex } from "../../shared/dicom/tags.ts";
import { isDeflatedDataSet, TransferSyntax } from "../../shared/dicom/transfer-syntax.ts";

/**
 * One element to write. Give exactly one content:
 * - `Value`: numbers, strings, bigints, person names as `{Alphabetic, Ideographic, Phonetic}`, tags of AT as
 *   eight hex digits, items of SQ as nested `DicomElements`;
 * - `bytes`: the value field as it is, in the byte order of the transfer syntax (padded to an even length);
 * - `fragments`: encapsulated pixel data (PS3.5 §A.4), with `offsetTable` as Basic Offset Table (empty if absent).
 */
export interface DicomElement {
  vr: string;
  Value?: readonly unknown[];
  bytes?: Uint8Array;
  fragments?: readonly Uint8Array[];
  offsetTable?: readonly number[];
}

/** A data set to write: key is the tag as eight hex digits. The order of keys does not matter. */
export type DicomElements = { readonly [tagHex: string]: DicomElement };

export interface WriteInstanceOptions {
  transferSyntaxUID: string;
  elements: DicomElements;
  /** 128 zero bytes and `DICM` in front (default true). */
  preamble?: boolean;
  /** File Meta Information, group 0002 (default true); without it and `preamble` a bare data set is written. */
  fileMeta?: boolean;
  /** Sequences and items of undefined length, closed by delimiters (default false). */
  undefinedLengths?: boolean;
}

export interface Encoding {
  explicit: boolean;
  littleEndian: boolean;
  undefinedLengths: boolean;
  utf8: boolean;
}

const IMPLEMENTATION_CLASS_UID = "2.25.302881714403187326711843218263711573721";

const UNDEFINED_LENGTH = 0xffffffff;
const MAX_SHORT_LENGTH = 0xffff;

/**
 * Writes one DICOM instance (PS3.10 §7). Group 0002 is made from SOP Class and SOP Instance UID unless
 * `elements` brings its own.
 */
export function writeInstance(options: WriteInstanceOptions): Uint8Array {
  const { transferSyntaxUID, elements, preamble = true, fileMeta = true } = options;
  const encoding: Encoding = {
    explicit: transferSyntaxUID !== TransferSyntax.implicitLittleEndian,
    littleEndian: transferSyntaxUID !== TransferSyntax.explicitBigEndian,
    undefinedLengths: options.undefinedLengths ?? false,
    utf8: elements[TagHex.SpecificCharacterSet]?.Value?.[0] === "ISO_IR 192",
  };
  const isMeta = (tagHex: string) => tagHex.startsWith("0002");
  const entries = Object.entries(elements);
  const dataSet = encodeDataSet(Object.fromEntries(entries.filter(([tag]) => !isMeta(tag))), encoding);
  const ownMeta = Object.fromEntries(entries.filter(([tag]) => isMeta(tag)));

  const parts: Uint8Array[] = [];
  if (preamble) parts.push(preambleAndPrefix());
  if (fileMeta) parts.push(encodeFileMeta(transferSyntaxUID, elements, ownMeta));
  parts.push(isDeflatedDataSet(transferSyntaxUID) ? padEven(deflateRawSync(dataSet), 0) : dataSet);
  return concat(parts);
}

/** 128 zero bytes and `DICM` (PS3.10 §7.1). */
export function preambleAndPrefix(): Uint8Array {
  const bytes = Buffer.alloc(META_START);
  bytes.write("DICM", PREAMBLE_BYTES, "latin1");
  return bytes;
}

/** File Meta Information (PS3.10 §7.1) in front of a data set; `own` replaces what is made from `elements`. */
export function encodeFileMeta(
  transferSyntaxUID: string,
  elements: DicomElements,
  own: DicomElements,
): Uint8Array {
  const encoding = { explicit: true, littleEndian: true, undefinedLengths: false, utf8: false };
  const body = encodeDataSet(
    {
      [TagHex.FileMetaInformationVersion]: { vr: "OB", bytes: Uint8Array.of(0, 1) },
      [TagHex.MediaStorageSOPClassUID]: { vr: "UI", Value: elements[TagHex.SOPClassUID]?.Value ?? [] },
      [TagHex.MediaStorageSOPInstanceUID]: { vr: "UI", Value: elements[TagHex.SOPInstanceUID]?.Value ?? [] },
      [TagHex.TransferSyntaxUID]: { vr: "UI", Value: [transferSyntaxUID] },
      [TagHex.ImplementationClassUID]: { vr: "UI", Value: [IMPLEMENTATION_CLASS_UID] },
      ...own,
    },
    encoding,
  );
  return concat([
    encodeDataSet({ [TagHex.FileMetaInformationGroupLength]: { vr: "UL", Value: [body.length] } }, encoding),
    body,
  ]);
}

/** The elements in the order of their tags, without preamble and File Meta Information. */
export function encodeDataSet(elements: DicomElements, encoding: Encoding): Uint8Array {
  const sorted = Object.entries(elements)
    .map(([tagHex, element]) => [Number.parseInt(tagHex, 16), element] as const)
    .sort(([a], [b]) => a - b);
  return concat(sorted.flatMap(([tag, element]) => encodeElement(tag, element, encoding)));
}

function encodeElement(tag: number, element: DicomElement, encoding: Encoding): Uint8Array[] {
  if (element.fragments) {
    return [
      elementHeader(tag, element.vr, UNDEFINED_LENGTH, encoding),
      ...encodeFragments(element.fragments, element.offsetTable ?? [], encoding),
    ];
  }
  if (element.vr === "SQ" && !element.bytes) {
    const body = concat((element.Value ?? []).flatMap((item) => encodeItem(item as DicomElements, encoding)));
    if (!encoding.undefinedLengths) return [elementHeader(tag, "SQ", body.length, encoding), body];
    return [
      elementHeader(tag, "SQ", UNDEFINED_LENGTH, encoding),
      body,
      delimiter(Tag.SequenceDelimitationItem, 0, encoding.littleEndian),
    ];
  }
  const value = padEven(element.bytes ?? encodeValue(element, encoding), paddingByte(element.vr));
  return [elementHeader(tag, writtenVr(element.vr, value.length, encoding), value.length, encoding), value];
}

/** A value that is too long for the short form is UN (PS3.5 §6.2.2). Instances may hold it with an implicit VR, or in another encoding. */
function writtenVr(vr: string, length: number, { explicit }: Encoding): string {
  return explicit && length > MAX_SHORT_LENGTH && !LONG_FORM.has(vr) ? "UN" : vr;
}

function encodeItem(item: DicomElements, encoding: Encoding): Uint8Array[] {
  const body = encodeDataSet(item, encoding);
  const { littleEndian } = encoding;
  if (!encoding.undefinedLengths) return [delimiter(Tag.Item, body.length, littleEndian), body];
  return [
    delimiter(Tag.Item, UNDEFINED_LENGTH, littleEndian),
    body,
    delimiter(Tag.ItemDelimitationItem, 0, littleEndian),
  ];
}

function encodeFragments(
  fragments: readonly Uint8Array[],
  offsets: readonly number[],
  { littleEndian }: Encoding,
): Uint8Array[] {
  const table = new Uint8Array(offsets.length * 4);
  const view = new DataView(table.buffer);
  offsets.forEach((offset, i) => {
    view.setUint32(i * 4, offset, littleEndian);
  });
  const items = [table, ...fragments].flatMap((fragment) => {
    const padded = padEven(fragment, 0);
    return [delimiter(Tag.Item, padded.length, littleEndian), padded];
  });
  return [...items, delimiter(Tag.SequenceDelimitationItem, 0, littleEndian)];
}

export function elementHeader(tag: number, vr: string, length: number, encoding: Encoding): Uint8Array {
  const { explicit, littleEndian } = encoding;
  if (!explicit) return delimiter(tag, length, littleEndian);
  const long = LONG_FORM.has(vr);
  if (!long && length > MAX_SHORT_LENGTH)
    throw new RangeError(`${vr} takes at most 65,535 bytes, not ${length}`);
  const header = Buffer.alloc(long ? 12 : 8);
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  view.setUint16(0, tag >>> 16, littleEndian);
  view.setUint16(2, tag & 0xffff, littleEndian);
  header.write(vr, 4, 2, "latin1");
  if (long) view.setUint32(8, length, littleEndian);
  else view.setUint16(6, length, littleEndian);
  return header;
}

export function delimiter(tag: number, length: number, littleEndian: boolean): Uint8Array {
  const header = new Uint8Array(8);
  const view = new DataView(header.buffer);
  view.setUint16(0, tag >>> 16, littleEndian);
  view.setUint16(2, tag & 0xffff, littleEndian);
  view.setUint32(4, length, littleEndian);
  return header;
}

const NUMBER_SETTERS: Record<
  string,
  [width: number, set: (v: DataView, at: number, n: unknown, le: boolean) => void]
> = {
  US: [2, (v, at, n, le) => v.setUint16(at, Number(n), le)],
  SS: [2, (v, at, n, le) => v.setInt16(at, Number(n), le)],
  UL: [4, (v, at, n, le) => v.setUint32(at, Number(n), le)],
  SL: [4, (v, at, n, le) => v.setInt32(at, Number(n), le)],
  FL: [4, (v, at, n, le) => v.setFloat32(at, Number(n), le)],
  FD: [8, (v, at, n, le) => v.setFloat64(at, Number(n), le)],
  SV: [8, (v, at, n, le) => v.setBigInt64(at, BigInt(n as number | bigint | string), le)],
  UV: [8, (v, at, n, le) => v.setBigUint64(at, BigInt(n as number | bigint | string), le)],
  AT: [4, setTag],
};

function setTag(view: DataView, at: number, tagHex: unknown, littleEndian: boolean): void {
  const tag = Number.parseInt(String(tagHex), 16);
  view.setUint16(at, tag >>> 16, littleEndian);
  view.setUint16(at + 2, tag & 0xffff, littleEndian);
}

function encodeValue({ vr, Value = [] }: DicomElement, encoding: Encoding): Uint8Array {
  const setter = NUMBER_SETTERS[vr];
  if (!setter) return Buffer.from(Value.map(asText).join("\\"), encoding.utf8 ? "utf8" : "latin1");
  const [width, set] = setter;
  const bytes = new Uint8Array(Value.length * width);
  const view = new DataView(bytes.buffer);
  Value.forEach((value, i) => {
    set(view, i * width, value, encoding.littleEndian);
  });
  return bytes;
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "object") return String(value);
  const name = value as { Alphabetic?: string; Ideographic?: string; Phonetic?: string };
  return [name.Alphabetic, name.Ideographic, name.Phonetic]
    .map((group) => group ?? "")
    .join("=")
    .replace(/=+$/, "");
}

/** What a value of an odd length is padded with (PS3.5 §6.2). */
export function paddingByte(vr: string): number {
  return vr === "UI" || vr === "UN" || vr.startsWith("O") ? 0 : 0x20;
}

function padEven(bytes: Uint8Array, padding: number): Uint8Array {
  return bytes.length % 2 === 0 ? bytes : concat([bytes, Uint8Array.of(padding)]);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}
