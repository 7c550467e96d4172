import { findElement } from "../../../shared/dicom/reading/data-set.ts";
import type { ByteSource } from "../../../shared/dicom/reading/instance.ts";
import { parseFile } from "../../../shared/dicom/reading/parse-file.ts";
import { reverseWords } from "../../../shared/dicom/reverse-words.ts";
import { type BulkDataRange, SourceUnreadable } from "../core/source.ts";
import { inflateDataSet } from "./local-bytes.ts";
import { MAX_INFLATED_ENTRY_BYTES } from "./local-entries.ts";

const WORD_BYTES = 2;

/** Reads a part of a value of a file. @throws {SourceUnreadable} if the file has no such value */
export function readLocalBulkData(
  file: ByteSource,
  { tag, offset, length }: BulkDataRange,
): Uint8Array<ArrayBuffer> {
  const options = { maxInflatedBytes: MAX_INFLATED_ENTRY_BYTES };
  const { source, file: parsed } = parseFile(file, inflateDataSet, options);
  const element = findElement(parsed.dataSet, Number.parseInt(tag, 16));
  if (!element || element.items || element.fragments) throw new SourceUnreadable("no such value");
  // Whole words, so that they can be turned around.
  const before = offset % WORD_BYTES;
  const start = offset - before;
  const end = Math.min(element.length, offset + length + ((offset + length) % WORD_BYTES));
  if (start >= end) return new Uint8Array();
  // A copy: the bytes are handed to another thread.
  const bytes = source.read(element.offset + start, end - start).slice();
  if (element.vr === "OW" && !parsed.dataSet.encoding.littleEndian) reverseWords(bytes, WORD_BYTES);
  return bytes.slice(before, before + length);
}
