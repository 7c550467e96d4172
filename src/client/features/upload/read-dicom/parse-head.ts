import { type DataSet, parseDicom } from "dicom-parser";
import { hasPreamble } from "../../../../shared/dicom/instance-start.ts";
import { type Keyword, TagHex } from "../../../../shared/dicom/tags.ts";
import { inflateHead } from "./inflate-head.ts";

/** The tag as `dicom-parser` names it, such as `x0008103e`. */
export const parserTag = (keyword: Keyword) => `x${TagHex[keyword].toLowerCase()}`;

export const PIXEL_DATA = parserTag("PixelData");
const IMPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2";
const EXPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2.1";
const MAX_INFLATED_BYTES = 4 * 1024 * 1024;

/** A bare data set begins with group 0002 or 0008, little endian. It is explicit if its first VR is two letters. */
function bareTransferSyntax(head: Uint8Array): string | undefined {
  const [group, groupHigh] = head;
  if (head.length < 8 || groupHigh !== 0 || (group !== 0x08 && group !== 0x02)) return undefined;
  const vr = String.fromCharCode(...head.subarray(4, 6));
  return /^[A-Z]{2}$/.test(vr) ? EXPLICIT_LITTLE_ENDIAN : IMPLICIT_LITTLE_ENDIAN;
}

/** The elements before the pixel data, and the offset of the pixel data if the bytes reach it. */
export function parseHead(head: Uint8Array): DataSet | undefined {
  const bare = hasPreamble(head) ? undefined : bareTransferSyntax(head);
  const options = { untilTag: PIXEL_DATA, inflater, ...(bare && { TransferSyntaxUID: bare }) };
  try {
    return withoutCutElements(parseDicom(head, options));
  } catch (failure) {
    return withoutCutElements(readBeforeFailure(failure));
  }
}

/** Drops elements that the end of the head cuts off, because the parser would read past it. */
function withoutCutElements(dataSet: DataSet | undefined): DataSet | undefined {
  for (const [tag, { dataOffset, length }] of Object.entries(dataSet?.elements ?? {})) {
    const isCut = dataOffset + length > (dataSet?.byteArray.length ?? 0);
    if (isCut && tag !== PIXEL_DATA) delete dataSet?.elements[tag];
  }
  return dataSet;
}

/**
 * The parser throws strings, its own Errors, or an object with the elements read so far. A head always ends somewhere
 * inside the instance, and the wanted values come before that.
 */
function readBeforeFailure(failure: unknown): DataSet | undefined {
  return typeof failure === "object" && failure !== null && "dataSet" in failure
    ? (failure.dataSet as DataSet)
    : undefined;
}

/** For a deflated data set, the parser wants the header unchanged, followed by the inflated rest. */
function inflater(bytes: Uint8Array, position: number): Uint8Array {
  const rest = inflateHead(bytes.subarray(position), MAX_INFLATED_BYTES) ?? new Uint8Array(0);
  const whole = new Uint8Array(position + rest.length);
  whole.set(bytes.subarray(0, position));
  whole.set(rest, position);
  return whole;
}
