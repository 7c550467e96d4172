import type { ByteReader } from "./byte-reader.ts";
import { type DataSet, type Element, findElement } from "./data-set.ts";
import { trimPadding } from "./padding.ts";

const MAX_TEXT_BYTES = 1024;

/**
 * The ASCII value of an element without its padding: UIDs, codes, numbers as text. Undefined if the element is absent;
 * more than 1,024 bytes are cut.
 */
export function asciiValue(reader: ByteReader, dataSet: DataSet, tag: number): string | undefined {
  const element = findElement(dataSet, tag);
  if (!element) return undefined;
  return trimPadding(reader.latin1(element.offset, Math.min(element.length, MAX_TEXT_BYTES)));
}

/** The first whole number of an element (US, SS, UL or IS), or undefined. */
export function integerValue(reader: ByteReader, dataSet: DataSet, tag: number): number | undefined {
  const element = findElement(dataSet, tag);
  if (!element) return undefined;
  return binaryInteger(reader, element, dataSet.encoding.littleEndian) ?? textInteger(reader, dataSet, tag);
}

function binaryInteger(reader: ByteReader, { vr, offset, length }: Element, littleEndian: boolean) {
  if ((vr === "US" || vr === "SS") && length >= 2) return reader.u16(offset, littleEndian);
  if ((vr === "UL" || vr === "SL") && length >= 4) return reader.u32(offset, littleEndian);
  return undefined;
}

function textInteger(reader: ByteReader, dataSet: DataSet, tag: number): number | undefined {
  const text = asciiValue(reader, dataSet, tag)?.split("\\")[0];
  return text !== undefined && /^\s*[+-]?\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}
