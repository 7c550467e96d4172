import { META_START, PREAMBLE_BYTES } from "../instance-start.ts";
import { Tag } from "../tags.ts";
import { isDeflatedDataSet, TransferSyntax } from "../transfer-syntax.ts";
import { isUid } from "../uid.ts";
import { ByteReader } from "./byte-reader.ts";
import type { DataSet, Element, Encoding, ParsedFile } from "./data-set.ts";
import { DataSetParser } from "./data-set-parser.ts";
import { asciiValue } from "./element-text.ts";
import type { ByteSource } from "./instance.ts";
import { splicedSource } from "./memory-source.ts";
import { Unreadable } from "./unreadable.ts";
import { valueRepresentationOf } from "./value-representation.ts";

const MAX_META_ELEMENTS = 256;
const EXPLICIT_LITTLE_ENDIAN: Encoding = { explicit: true, littleEndian: true };

/** The most memory the data set of one deflated instance may take. */
const MAX_INFLATED_BYTES = 512 * 1024 * 1024;

export interface OpenFile {
  reader: ByteReader;
  /** The bytes in which offsets count: the given source, or the same with its data set inflated. */
  source: ByteSource;
  file: ParsedFile;
}

/**
 * Inflates raw deflate data (RFC 1951), or what zlib wrapped (RFC 1950) if `isWrapped`. Says `too_large` before it holds more than
 * `maxBytes`, and `damaged` if the data are cut or are no deflate data.
 */
export type Inflate = (
  deflated: Uint8Array,
  options: { isWrapped: boolean; maxBytes: number },
) => Uint8Array | "too_large" | "damaged";

export interface ParseOptions {
  /** The most memory a deflated data set may take (default 512 MiB). */
  maxInflatedBytes?: number;
  /** Whether a data set that the file calls deflated has been inflated already. */
  isInflated?: boolean;
  /** The most elements, items and fragments of the data set (default 500,000). */
  maxElements?: number;
}

/**
 * Parses a DICOM file: Part 10 (PS3.10 §7), the same without preamble, or a bare data set.
 *
 * @throws Unreadable `not_dicom`, `instance.too_complex`, or `instance.truncated` if File Meta Information or the
 * deflated data set is truncated
 */
export function parseFile(source: ByteSource, inflate: Inflate, options: ParseOptions = {}): OpenFile {
  const { maxInflatedBytes = MAX_INFLATED_BYTES, isInflated = false, maxElements } = options;
  const reader = new ByteReader(source);
  const start = findStart(reader);
  const { fileMeta, next } = readFileMeta(reader, start);
  const declared = declaredTransferSyntax(reader, fileMeta);
  const isBare = start === 0 && fileMeta.elements.length === 0;
  if (isBare && !looksLikeDataSet(reader)) throw new Unreadable("not_dicom", "no DICM, no group 0002");

  const deflated = isDeflatedDataSet(declared) && !isInflated;
  const inflated = deflated ? inflateFrom(source, next, inflate, maxInflatedBytes) : source;
  const dataReader = deflated ? new ByteReader(inflated) : reader;
  const encoding = sniffEncoding(dataReader, next, declared);
  const parser = new DataSetParser(dataReader, maxElements);
  const dataSet = parser.parse(next, encoding);
  return {
    reader: dataReader,
    source: inflated,
    file: {
      fileMeta,
      dataSet,
      transferSyntaxUID: effectiveTransferSyntax(declared, encoding),
      isPart10: !isBare,
      deflated,
      truncation: parser.truncation,
      openEnded: parser.openEnded,
    },
  };
}

/** The offset after preamble and prefix; 0 if there is no prefix. */
export function findStart(reader: ByteReader): number {
  const isPrefix = (at: number) => reader.sizeBytes >= at + 4 && reader.latin1(at, 4) === "DICM";
  if (isPrefix(PREAMBLE_BYTES)) return META_START;
  return isPrefix(0) ? 4 : 0;
}

/** Group 0002. It is Explicit VR Little Endian whatever follows; some writers use Implicit VR. */
export function readFileMeta(reader: ByteReader, start: number): { fileMeta: DataSet; next: number } {
  const elements: Element[] = [];
  let at = start;
  while (reader.sizeBytes - at >= 8 && elements.length < MAX_META_ELEMENTS) {
    const tag = reader.tag(at, true);
    if (tag >>> 16 !== 2) break;
    const known = valueRepresentationOf(reader.u16(at + 4, false));
    const offset = at + (known?.longForm ? 12 : 8);
    if (offset > reader.sizeBytes) throw metaTruncated(at);
    const length = known && !known.longForm ? reader.u16(at + 6, true) : reader.u32(offset - 4, true);
    if (length > reader.sizeBytes - offset) throw metaTruncated(at);
    elements.push({ tag, vr: known?.vr ?? "UN", offset, length, implicit: !known });
    at = offset + length;
  }
  return { fileMeta: { encoding: EXPLICIT_LITTLE_ENDIAN, elements }, next: at };
}

function metaTruncated(at: number): Unreadable {
  return new Unreadable("instance.truncated", `File Meta Information is cut at ${at}`);
}

/** A value that is not a valid UID counts as absent, because it ends up in HTTP headers. */
function declaredTransferSyntax(reader: ByteReader, fileMeta: DataSet): string | undefined {
  const uid = asciiValue(reader, fileMeta, Tag.TransferSyntaxUID);
  return uid !== undefined && isUid(uid) ? uid : undefined;
}

/** A bare data set is accepted only if it begins as the standard requires: with group 0008 and a length that fits. */
function looksLikeDataSet(reader: ByteReader): boolean {
  if (reader.sizeBytes < 8) return false;
  const { explicit, littleEndian } = sniffEncoding(reader, 0, undefined);
  if (reader.u16(0, littleEndian) !== 0x0008) return false;
  return explicit || reader.u32(4, littleEndian) <= reader.sizeBytes - 8;
}

/**
 * Detects from its first element how the data set at `at` is encoded: its bytes decide, not the declared syntax. Data
 * sets begin with a group below 0100, which shows the byte order.
 */
function sniffEncoding(reader: ByteReader, at: number, declared: string | undefined): Encoding {
  const declaredLittleEndian = declared !== TransferSyntax.explicitBigEndian;
  if (reader.sizeBytes - at < 8) {
    return { explicit: declared !== TransferSyntax.implicitLittleEndian, littleEndian: declaredLittleEndian };
  }
  const isPlausible = (littleEndian: boolean) => reader.u16(at, littleEndian) <= 0xff;
  const contrary = !isPlausible(declaredLittleEndian) && isPlausible(!declaredLittleEndian);
  return {
    explicit: valueRepresentationOf(reader.u16(at + 4, false)) !== undefined,
    littleEndian: contrary ? !declaredLittleEndian : declaredLittleEndian,
  };
}

/** The declared syntax, unless it is absent or has the wrong byte order for native pixel data. */
function effectiveTransferSyntax(declared: string | undefined, encoding: Encoding): string {
  if (!encoding.littleEndian) return TransferSyntax.explicitBigEndian;
  if (declared && declared !== TransferSyntax.explicitBigEndian) return declared;
  return encoding.explicit ? TransferSyntax.explicitLittleEndian : TransferSyntax.implicitLittleEndian;
}

/** The file with everything from `boundary` inflated (PS3.5 §A.5). */
function inflateFrom(source: ByteSource, boundary: number, inflate: Inflate, maxBytes: number): ByteSource {
  const length = source.sizeBytes - boundary;
  if (length > maxBytes) throw tooLargeToInflate(maxBytes);
  const deflated = source.read(boundary, length);
  // A few writers wrap the stream as zlib does (RFC 1950) instead of leaving it raw (RFC 1951).
  const isWrapped = deflated[0] === 0x78 && ((deflated[0] << 8) | (deflated[1] ?? 0)) % 31 === 0;
  const inflated = inflate(deflated, { isWrapped, maxBytes });
  if (inflated === "too_large") throw tooLargeToInflate(maxBytes);
  if (inflated === "damaged") {
    throw new Unreadable("instance.truncated", "the deflated data set does not inflate");
  }
  return splicedSource(source, boundary, inflated);
}

function tooLargeToInflate(maxInflatedBytes: number): Unreadable {
  return new Unreadable(
    "instance.too_complex",
    `the data set inflates to more than ${maxInflatedBytes} bytes`,
  );
}
