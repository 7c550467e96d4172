import { META_START } from "../../shared/dicom/instance-start.ts";
import { ByteReader } from "../../shared/dicom/reading/byte-reader.ts";
import type { DataSet } from "../../shared/dicom/reading/data-set.ts";
import { asciiValue } from "../../shared/dicom/reading/element-text.ts";
import { memorySource } from "../../shared/dicom/reading/memory-source.ts";
import { findStart, readFileMeta } from "../../shared/dicom/reading/parse-file.ts";
import { Unreadable } from "../../shared/dicom/reading/unreadable.ts";
import { Tag, TagHex, tagHex } from "../../shared/dicom/tags.ts";
import type { WrittenFile } from "./explicit-header.ts";
import { type DicomElements, encodeFileMeta, preambleAndPrefix } from "./write-instance.ts";

/** The beginning of a file, and what has to stand in its place. */
export interface NewBeginning {
  before: Uint8Array;
  after: Uint8Array;
}

/** What is said anew of any file; everything else that File Meta Information has is kept. */
const SAID_ANEW: ReadonlySet<number> = new Set([
  Tag.FileMetaInformationGroupLength,
  Tag.FileMetaInformationVersion,
  Tag.MediaStorageSOPClassUID,
  Tag.MediaStorageSOPInstanceUID,
  Tag.TransferSyntaxUID,
]);

/**
 * The beginning that makes a file of the media storage one of PS3.10 §7.1: preamble, prefix and File Meta Information. Undefined
 * if the file has all of them and names its transfer syntax, or if its File Meta Information is longer than `head`.
 * @param head the first bytes of the file
 */
export function completeMeta(head: Uint8Array, written: WrittenFile): NewBeginning | undefined {
  const reader = new ByteReader(memorySource(head));
  const start = findStart(reader);
  const found = readMeta(reader, start);
  if (!found || (start === META_START && namesSyntax(reader, found.fileMeta, written))) return undefined;
  const uids = {
    [TagHex.SOPClassUID]: { vr: "UI", Value: [written.sopClassUID] },
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [written.sopInstanceUID] },
  };
  const meta = encodeFileMeta(written.transferSyntaxUID, uids, keptElements(reader, found.fileMeta));
  return { before: head.subarray(0, found.next), after: Buffer.concat([preambleAndPrefix(), meta]) };
}

function readMeta(reader: ByteReader, start: number) {
  try {
    return readFileMeta(reader, start);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

function namesSyntax(reader: ByteReader, fileMeta: DataSet, { transferSyntaxUID }: WrittenFile): boolean {
  return asciiValue(reader, fileMeta, Tag.TransferSyntaxUID) === transferSyntaxUID;
}

function keptElements(reader: ByteReader, { elements }: DataSet): DicomElements {
  return Object.fromEntries(
    elements
      .filter(({ tag, implicit }) => !SAID_ANEW.has(tag) && !implicit)
      .map(({ tag, vr, offset, length }) => [
        tagHex(tag),
        { vr, bytes: reader.bytes(offset, length).slice() },
      ]),
  );
}
