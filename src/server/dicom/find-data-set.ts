import { ByteReader } from "../../shared/dicom/reading/byte-reader.ts";
import { asciiValue } from "../../shared/dicom/reading/element-text.ts";
import { memorySource } from "../../shared/dicom/reading/memory-source.ts";
import { findStart, readFileMeta } from "../../shared/dicom/reading/parse-file.ts";
import { Unreadable } from "../../shared/dicom/reading/unreadable.ts";
import { Tag } from "../../shared/dicom/tags.ts";

/** Finds where the data set of a Part 10 file begins, from the file's first bytes; undefined if they end before it. */
export function findDataSet(head: Uint8Array): number | undefined {
  return readBeginning(head)?.dataSetAt;
}

/** As {@link findDataSet}, with the transfer syntax that the file names. */
export function readBeginning(
  head: Uint8Array,
): { dataSetAt: number; transferSyntaxUID: string | undefined } | undefined {
  const reader = new ByteReader(memorySource(head));
  try {
    const { fileMeta, next } = readFileMeta(reader, findStart(reader));
    if (next >= head.length) return undefined;
    return { dataSetAt: next, transferSyntaxUID: asciiValue(reader, fileMeta, Tag.TransferSyntaxUID) };
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
