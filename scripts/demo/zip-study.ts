import { Zip, ZipDeflate, type ZipInputFile, ZipPassThrough } from "fflate";
import { writeInstance } from "../../src/server/dicom/write-instance.ts";
import { MEDIA_STORAGE_DIRECTORY } from "../../src/shared/dicom/sop-class.ts";
import { TagHex } from "../../src/shared/dicom/tags.ts";
import { TransferSyntax } from "../../src/shared/dicom/transfer-syntax.ts";

export interface ZipStudyOptions {
  instances: Iterable<{ fileName: string; bytes: Uint8Array }>;
  /** Prefix of every name, such as `Exames/João/TC de crânio`; names are written in UTF-8. */
  folder?: string;
  /** `store` keeps the bytes as they are. */
  compression?: "store" | "deflate";
  /** Adds a DICOMDIR, as on the discs of hospitals. */
  dicomdir?: boolean;
  /** Adds other files of such discs: a text, a viewer's settings, the hidden files of a Mac. */
  clutter?: boolean;
}

interface Entry {
  name: string;
  bytes: Uint8Array;
}

const DEFLATE_LEVEL = 6;

/** Packs instances into a ZIP while it is read, and holds one instance at a time. The same input gives the same bytes. */
export function zipStudy(options: ZipStudyOptions): ReadableStream<Uint8Array> {
  const entries = listEntries(options);
  let zip: Zip;
  return new ReadableStream({
    start(controller) {
      zip = new Zip((error, chunk, last) => {
        if (error) return controller.error(error);
        if (chunk.length > 0) controller.enqueue(chunk);
        if (last) controller.close();
      });
    },
    pull() {
      const next = entries.next();
      if (next.done) return zip.end();
      addEntry(zip, next.value, options.compression ?? "store");
    },
    cancel() {
      zip.terminate();
    },
  });
}

/** The whole ZIP at once. */
export async function zipStudyBytes(options: ZipStudyOptions): Promise<Uint8Array> {
  return new Uint8Array(await new Response(zipStudy(options)).arrayBuffer());
}

function addEntry(zip: Zip, entry: Entry, compression: "store" | "deflate"): void {
  const file: ZipInputFile & { push(chunk: Uint8Array, final: boolean): void } =
    compression === "store"
      ? new ZipPassThrough(entry.name)
      : new ZipDeflate(entry.name, { level: DEFLATE_LEVEL });
  // ZIP keeps wall-clock time, so a date made of local fields gives the same bytes in every time zone.
  file.mtime = new Date(2026, 7, 17, 8, 42);
  zip.add(file);
  file.push(entry.bytes, true);
}

function* listEntries(options: ZipStudyOptions): Generator<Entry, void, undefined> {
  const prefix = options.folder ? `${options.folder.replace(/\/+$/, "")}/` : "";
  if (options.dicomdir) yield { name: `${prefix}DICOMDIR`, bytes: emptyDicomdir() };
  for (const { fileName, bytes } of options.instances) yield { name: prefix + fileName, bytes };
  if (options.clutter) yield* clutter(prefix);
}

function emptyDicomdir(): Uint8Array {
  return writeInstance({
    transferSyntaxUID: TransferSyntax.explicitLittleEndian,
    elements: {
      [TagHex.MediaStorageSOPClassUID]: { vr: "UI", Value: [MEDIA_STORAGE_DIRECTORY] },
      [TagHex.MediaStorageSOPInstanceUID]: { vr: "UI", Value: ["2.25.7"] },
      [TagHex.FileSetID]: { vr: "CS", Value: ["EXAME"] },
      [TagHex.OffsetOfTheFirstDirectoryRecordOfTheRootDirectoryEntity]: { vr: "UL", Value: [0] },
      [TagHex.OffsetOfTheLastDirectoryRecordOfTheRootDirectoryEntity]: { vr: "UL", Value: [0] },
      [TagHex.FileSetConsistencyFlag]: { vr: "US", Value: [0] },
      [TagHex.DirectoryRecordSequence]: { vr: "SQ", Value: [] },
    },
  });
}

function* clutter(prefix: string): Generator<Entry, void, undefined> {
  const text = (content: string): Uint8Array => new TextEncoder().encode(content);
  yield { name: `${prefix}LEIA-ME.txt`, bytes: text("Este disco contém imagens médicas.\r\n") };
  yield { name: `${prefix}autorun.inf`, bytes: text("[autorun]\r\nopen=viewer.exe\r\n") };
  yield { name: `${prefix}.DS_Store`, bytes: Uint8Array.of(0, 0, 0, 1, 0x42, 0x75, 0x64, 0x31) };
  yield { name: `__MACOSX/${prefix}._IM0001.dcm`, bytes: Uint8Array.of(0, 5, 0x16, 7, 0, 2, 0, 0) };
}
