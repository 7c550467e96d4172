import { closeSync, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type FrameTable, frameCountOf } from "../../../../shared/dicom/reading/frame-table.ts";
import type { ByteSource, Instance, SopReference } from "../../../../shared/dicom/reading/instance.ts";
import { baseName, isSkippedInZip } from "../../../../shared/rules/skipped-names.ts";
import { openZip, type ZipArchive } from "../../../../shared/zip/open-zip.ts";
import type { EntryData, ZipEntry } from "../../../../shared/zip/zip-entry.ts";
import { ZipError } from "../../../../shared/zip/zip-error.ts";
import { LOCAL_SIGNATURE, METHOD_STORED } from "../../../../shared/zip/zip-format.ts";
import { FileWindow } from "../../../archive/file-window.ts";
import { fileSource } from "../../../dicom/byte-source.ts";
import { type EntryInTurn, type FoundEntry, inflateAhead } from "./inflate-ahead.ts";
import { judgeInstance } from "./judge-instance.ts";
import { inflateEntryTo, openStoredEntry, readEntry } from "./read-entry.ts";
import { type InstanceBytes, ScannedUpload } from "./scanned-upload.ts";
import { IngestRefused } from "./worker.errors.ts";
import {
  INFLATED_PREFIX,
  type IngestLimits,
  type NamedInstance,
  type ScanResult,
  type SkippedReason,
} from "./worker-messages.ts";

/** Entries between two checks that the process that asked for the scan still runs. */
const ENTRIES_PER_TURN = 64;
const MAX_NAME_LENGTH = 255;
/**
 * An instance with a frame beyond this offset is stored, not deflated, since each read of a frame inflates everything before it.
 */
const MAX_INFLATED_FOR_FRAME_BYTES = 64 * 1024 * 1024;
/** Reading an entry, however small, takes as long as inflating this much. */
const ENTRY_WEIGHT_BYTES = 16 * 1024;

/** One entry looked into. */
type EntryResult =
  | { ok: true; instance: Instance; bytes: InstanceBytes; json: Uint8Array }
  | { ok: false; reason: SkippedReason; reference?: SopReference };

/**
 * Reads every entry of the spooled ZIP: CRC-32, identity, metadata, frames.
 * @throws {IngestRefused} when the ZIP as a whole can't be read or breaks a limit
 */
export async function scanUpload(
  uploadFolder: string,
  spoolPath: string,
  limits: IngestLimits,
  maxWeightBytes = Number.POSITIVE_INFINITY,
): Promise<{ scanned: ScannedUpload; result: ScanResult }> {
  using spool = new FileWindow(spoolPath);
  const scan = new Scan(uploadFolder, spoolPath, spool, limits);
  try {
    await scan.run(maxWeightBytes);
  } catch (error) {
    if (error instanceof ZipError) throw new IngestRefused(error.code, error.message);
    throw error;
  }
  return { scanned: scan.upload, result: scan.result() };
}

class Scan {
  readonly upload: ScannedUpload;
  readonly #skipped: ScanResult["skipped"] = [];
  #skippedCount = 0;
  readonly #duplicateNames: string[] = [];
  readonly #named: NamedInstance[] = [];
  #inflatedBytes = 0;
  #inflatedFiles = 0;

  constructor(
    readonly uploadFolder: string,
    readonly spoolPath: string,
    readonly spool: FileWindow,
    readonly limits: IngestLimits,
  ) {
    this.upload = new ScannedUpload(limits);
  }

  async run(maxWeightBytes: number): Promise<void> {
    const archive = openZip(this.spool, this.limits);
    assertWeight(archive, maxWeightBytes);
    let turn = 0;
    for (const { entry, located, content } of inflateAhead(this.spool, this.#find(archive))) {
      if (++turn % ENTRIES_PER_TURN === 0) await setImmediate();
      const looked = located.ok ? await this.#readInstance(entry, located.data, content) : located;
      if (!looked.ok) this.#leave(entry, looked);
      else await this.#take(entry, looked);
    }
  }

  result(): ScanResult {
    const { instanceCount, instanceBytes, restBytes } = this.upload;
    return {
      studies: this.upload.summary(),
      instanceCount,
      instanceBytes,
      restBytes,
      skipped: this.#skipped,
      skippedCount: this.#skippedCount,
      duplicateNames: this.#duplicateNames,
      ...(this.limits.maxNamedInstances && { named: this.#named }),
    };
  }

  *#find(archive: ZipArchive): Iterable<FoundEntry> {
    for (const entry of archive.entries()) {
      if (!entry.isFolder) yield { entry, located: this.#isIgnored(entry) ?? archive.locate(entry) };
    }
  }

  #isIgnored({ name, sizeBytes }: ZipEntry): { ok: false; reason: SkippedReason } | undefined {
    if (isSkippedInZip(name)) return { ok: false, reason: "ignored_name" };
    if (sizeBytes > this.limits.maxEntryBytes) return { ok: false, reason: "zip.too_large" };
    return undefined;
  }

  #leave(entry: ZipEntry, { reason, reference }: Extract<EntryResult, { ok: false }>): void {
    this.#skip(entry, reason);
    if (reference)
      this.#name({ name: nameOf(entry), studyInstanceUID: "", seriesInstanceUID: "", ...reference });
  }

  #skip({ name }: ZipEntry, reason: SkippedReason): void {
    this.#skippedCount++;
    if (this.#skipped.length < this.limits.maxSkippedNames) {
      this.#skipped.push({ name: nameOf({ name }), reason });
    }
  }

  async #take(entry: ZipEntry, { instance, bytes, json }: Extract<EntryResult, { ok: true }>): Promise<void> {
    const name = nameOf(entry);
    const { studyInstanceUID, seriesInstanceUID, sopInstanceUID, sopClassUID } = instance;
    this.#name({ name, studyInstanceUID, seriesInstanceUID, sopInstanceUID, sopClassUID });
    if (this.#isOfOtherStudy(instance)) {
      this.#skip(entry, "study.other");
      if (bytes.source !== "spool") await rm(bytes.source.inflatedPath);
      return;
    }
    const added = this.upload.add(instance, bytes, { name, json });
    const isNamed = this.#duplicateNames.length < this.limits.maxDuplicateNames;
    if (added === "duplicate" && isNamed) this.#duplicateNames.push(name);
    if (added === "left_out") this.#skip(entry, "instance.too_many_variants");
    if (added !== "added" && bytes.source !== "spool") await rm(bytes.source.inflatedPath);
  }

  #name(named: NamedInstance): void {
    if (this.#named.length < (this.limits.maxNamedInstances ?? 0)) this.#named.push(named);
  }

  /** Whether the instance is of another study than all must be of. */
  #isOfOtherStudy({ studyInstanceUID }: Instance): boolean {
    const { onlyStudyUID } = this.limits;
    return onlyStudyUID !== undefined && studyInstanceUID !== onlyStudyUID;
  }

  async #readInstance(
    entry: ZipEntry,
    data: EntryData,
    inflated: EntryInTurn["content"],
  ): Promise<EntryResult> {
    this.#inflatedBytes += entry.sizeBytes;
    if (this.#inflatedBytes > this.limits.maxInflatedBytes) {
      throw new IngestRefused("upload.too_large_inflated", `more than ${this.limits.maxInflatedBytes} bytes`);
    }
    if (Math.max(data.length, entry.sizeBytes) > this.limits.maxHeldBytes && data.method !== METHOD_STORED) {
      return this.#inflateAndRead(entry, data);
    }
    const isLarge = data.length > this.limits.maxHeldBytes;
    const content = (await inflated) ?? (isLarge ? openStoredEntry : readEntry)(this.spool, entry, data);
    if (!content.ok) return content;
    return this.#describe(entry, content.source, spooled(entry, data, content.contentHash));
  }

  /** Inflates a large deflated entry to disk; keeps the file if its frames must be stored. */
  async #inflateAndRead(entry: ZipEntry, data: EntryData): Promise<EntryResult> {
    const inflatedPath = join(this.uploadFolder, `${INFLATED_PREFIX}${this.#inflatedFiles++}`);
    const inflated = await inflateEntryTo(inflatedPath, this.spoolPath, entry, data);
    const looked = inflated.ok
      ? this.#readFile(inflatedPath, entry, spooled(entry, data, inflated.contentHash))
      : inflated;
    if (!looked.ok || looked.bytes.source === "spool") await rm(inflatedPath, { force: true });
    return looked;
  }

  #readFile(inflatedPath: string, entry: ZipEntry, bytes: InstanceBytes): EntryResult {
    const fd = openSync(inflatedPath, "r");
    try {
      const looked = this.#describe(entry, fileSource(fd, 0, entry.sizeBytes), bytes);
      if (looked.ok && looked.bytes.inflateBeforeWriting) looked.bytes = inflatedFile(inflatedPath, bytes);
      return looked;
    } finally {
      closeSync(fd);
    }
  }

  #describe({ name }: ZipEntry, source: ByteSource, bytes: InstanceBytes): EntryResult {
    const judged = judgeInstance(source);
    if (!judged.ok)
      return judged.reason === "not_dicom" && isZip(name, source)
        ? { ok: false, reason: "zip.nested" }
        : judged;
    const { frames } = judged.instance;
    const isStoredBetter = isReadInPieces(frames) || endOfFrames(frames) > MAX_INFLATED_FOR_FRAME_BYTES;
    const inflateBeforeWriting = isStoredBetter && bytes.method !== METHOD_STORED;
    return { ...judged, bytes: { ...bytes, inflateBeforeWriting } };
  }
}

/** The name as the database keeps it: without NUL, and without half a character where it was cut. */
function nameOf({ name }: Pick<ZipEntry, "name">): string {
  return name.slice(0, MAX_NAME_LENGTH).replaceAll("\0", "\ufffd").toWellFormed();
}

/** Programs and documents, such as those of .jar and .docx, are ZIPs by their format alone. */
function isZip(path: string, source: ByteSource): boolean {
  if (!/^[^.]+$|\.zip$/i.test(baseName(path))) return false;
  const { buffer, byteOffset, length } = source.read(0, 4);
  return length === 4 && new DataView(buffer, byteOffset).getUint32(0, true) === LOCAL_SIGNATURE;
}

function isReadInPieces(frames: FrameTable): boolean {
  return frameCountOf(frames) > 1;
}

function endOfFrames(frames: FrameTable): number {
  if (frames.kind === "none") return 0;
  if (frames.kind === "native") return frames.offset + frames.frameBytes;
  const [offset, length] = frames.frames.at(-1)?.at(-1) ?? [0, 0];
  return offset + length;
}

/** The cost of an upload is the size that its entries declare to inflate to and their number, not the bytes received. */
function assertWeight(archive: ZipArchive, maxWeightBytes: number): void {
  let weightBytes = archive.entryCount * ENTRY_WEIGHT_BYTES;
  for (const { sizeBytes } of archive.entries()) weightBytes += sizeBytes;
  if (weightBytes > maxWeightBytes) throw new IngestRefused("upload.heavy", String(weightBytes));
}

function spooled(
  { sizeBytes, crc32 }: ZipEntry,
  { offset, length, method }: EntryData,
  contentHash: string,
): InstanceBytes {
  return {
    source: "spool",
    offset,
    storedBytes: length,
    method,
    sizeBytes,
    crc32,
    contentHash,
    inflateBeforeWriting: false,
  };
}

function inflatedFile(inflatedPath: string, { sizeBytes, crc32, contentHash }: InstanceBytes): InstanceBytes {
  const source = { inflatedPath };
  return {
    source,
    offset: 0,
    storedBytes: sizeBytes,
    method: 0,
    sizeBytes,
    crc32,
    contentHash,
    inflateBeforeWriting: false,
  };
}
