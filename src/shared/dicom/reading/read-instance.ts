import { MEDIA_STORAGE_DIRECTORY } from "../sop-class.ts";
import { Tag, TagHex } from "../tags.ts";
import { frameTransferSyntaxUID } from "../transfer-syntax.ts";
import { isUid } from "../uid.ts";
import { findElement } from "./data-set.ts";
import { asciiValue } from "./element-text.ts";
import { indexAttributes } from "./index-attributes.ts";
import type { ByteSource, DicomJson, DicomJsonElement, ReadInstance, SopReference } from "./instance.ts";
import { toDicomJson } from "./json-model.ts";
import { type Inflate, type OpenFile, parseFile } from "./parse-file.ts";
import { declaredFrameCount, readFrameTable } from "./read-frame-table.ts";
import { Unreadable } from "./unreadable.ts";

export interface ReadInstanceOptions {
  /** The most memory a deflated data set may take (default 512 MiB). */
  maxInflatedBytes?: number;
}

/**
 * Reads one file: identity, index attributes, metadata, frame table. It is strict about identity and truncated files,
 * and lenient about everything else. Pixel data are not read, so a file of any size takes little memory (but a deflated
 * data set is inflated whole).
 *
 * Throws only what the source throws.
 */
export function readInstance(
  source: ByteSource,
  inflate: Inflate,
  options: ReadInstanceOptions = {},
): ReadInstance {
  let open: OpenFile | undefined;
  try {
    open = parseFile(source, inflate, options);
    return describe(open);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const reference = open && referenceIn(open);
    return { ok: false, reason: error.reason, detail: error.detail, ...(reference && { reference }) };
  }
}

/** The UIDs of the data set, else those of File Meta Information. */
function referenceIn(open: OpenFile): SopReference | undefined {
  const { reader, file } = open;
  const candidates = [
    asciiValue(reader, file.dataSet, Tag.SOPInstanceUID),
    asciiValue(reader, file.fileMeta, Tag.MediaStorageSOPInstanceUID),
  ];
  const reference = { sopClassUID: sopClassUID(open), sopInstanceUID: firstUid(candidates) };
  return reference.sopClassUID && reference.sopInstanceUID ? reference : undefined;
}

function describe(open: OpenFile): ReadInstance {
  const { reader, file } = open;
  refuseDirectory(open);
  const identity = readIdentity(open);
  const frames = readFrameTable(reader, file);
  refuseMissingFrames(open, frames.kind === "encapsulated" ? frames.frameCount : 0);
  const said = toDicomJson(
    reader,
    file.dataSet,
    (tagPath) => `instances/${identity.sopInstanceUID}/bulkdata/${tagPath}`,
  );
  const metadata = withElement(said, TagHex.AvailableTransferSyntaxUID, {
    vr: "UI",
    Value: [frameTransferSyntaxUID(file.transferSyntaxUID)],
  });
  return {
    ok: true,
    instance: {
      ...identity,
      sopClassUID: sopClassUID(open),
      transferSyntaxUID: file.transferSyntaxUID,
      index: indexAttributes(metadata),
      metadata,
      frames,
    },
  };
}

/** The data set with an element in its place, or in place of its own. */
function withElement(json: DicomJson, tag: string, element: DicomJsonElement): DicomJson {
  const members = Object.entries(json).filter(([own]) => own !== tag);
  const behind = members.findIndex(([own]) => own > tag);
  members.splice(behind < 0 ? members.length : behind, 0, [tag, element]);
  return Object.fromEntries(members);
}

/** A DICOMDIR lists instances but is not one itself (PS3.10 §8.6). */
function refuseDirectory(open: OpenFile): void {
  const isDirectory =
    sopClassUID(open) === MEDIA_STORAGE_DIRECTORY ||
    asciiValue(open.reader, open.file.fileMeta, Tag.MediaStorageSOPClassUID) === MEDIA_STORAGE_DIRECTORY ||
    findElement(open.file.dataSet, Tag.DirectoryRecordSequence) !== undefined;
  if (isDirectory) throw new Unreadable("dicomdir", "Media Storage Directory");
}

/** A bad UID is reported first, then a truncation, then a missing UID, which the truncation may have caused. */
function readIdentity({ reader, file }: OpenFile) {
  const uids = {
    studyInstanceUID: asciiValue(reader, file.dataSet, Tag.StudyInstanceUID) ?? "",
    seriesInstanceUID: asciiValue(reader, file.dataSet, Tag.SeriesInstanceUID) ?? "",
    sopInstanceUID: asciiValue(reader, file.dataSet, Tag.SOPInstanceUID) ?? "",
  };
  const entries = Object.entries(uids);
  const bad = entries.find(([, uid]) => uid !== "" && !isUid(uid));
  if (bad) throw new Unreadable("instance.bad_uid", bad[0]);
  if (file.truncation) throw new Unreadable("instance.truncated", file.truncation);
  const missing = entries.find(([, uid]) => uid === "");
  if (missing && !file.isPart10 && entries.every(([, uid]) => uid === "")) {
    throw new Unreadable("not_dicom", "a bare data set without any UID");
  }
  if (missing) throw new Unreadable("instance.no_uid", missing[0]);
  return uids;
}

/**
 * If encapsulated pixel data are not closed by their delimiter, only the number of frames shows whether the file was cut
 * between two fragments.
 */
function refuseMissingFrames({ reader, file }: OpenFile, frameCount: number): void {
  if (!file.openEnded || frameCount >= declaredFrameCount(reader, file.dataSet)) return;
  throw new Unreadable("instance.truncated", `pixel data are not closed after ${frameCount} frames`);
}

/** The UID of the data set, else that of File Meta Information; empty if neither is a valid UID. */
function sopClassUID({ reader, file }: OpenFile): string {
  const candidates = [
    asciiValue(reader, file.dataSet, Tag.SOPClassUID),
    asciiValue(reader, file.fileMeta, Tag.MediaStorageSOPClassUID),
  ];
  return firstUid(candidates);
}

function firstUid(candidates: (string | undefined)[]): string {
  return candidates.find((uid) => uid !== undefined && isUid(uid)) ?? "";
}
