import { ByteReader } from "../../shared/dicom/reading/byte-reader.ts";
import { memorySource } from "../../shared/dicom/reading/memory-source.ts";
import { findStart, readFileMeta } from "../../shared/dicom/reading/parse-file.ts";
import { Unreadable } from "../../shared/dicom/reading/unreadable.ts";

/** Finds where the data set of a Part 10 file begins, from the file's first bytes; undefined if they end before it. */
export function findDataSet(head: Uint8Array): number | undefined {
  const reader = new ByteReader(memorySource(head));
  try {
    const { next } = readFileMeta(reader, findStart(reader));
    return next < head.length ? next : undefined;
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
