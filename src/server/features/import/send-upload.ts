import { closeSync, openSync, readSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { writeFully } from "../../archive/file-window.ts";
import { AppError } from "../../http/app-error.ts";
import { DiskFull } from "../../storage/disk/disk-room.ts";
import type { TakenUpload } from "../ingest/finished-upload.ts";
import { uploadWithoutDicom } from "../ingest/ingest.errors.ts";
import {
  type IngestDeps,
  instancesIn,
  type Sender,
  type SpooledUpload,
  takeUpload,
  type UploadSource,
} from "../ingest/take-upload.ts";
import type { UploadRoom } from "../ingest/upload-room.ts";
import { createUploadSlots, type Uploader } from "../ingest/upload-slots.ts";
import { ALL_VARIANTS } from "../ingest/worker/ingest-limits.ts";
import type { ScanResult, SkippedReason } from "../ingest/worker/worker-messages.ts";
import type { FileReport, FoundFile } from "./found-file.ts";
import { ImportStopped } from "./import.errors.ts";
import { judgeFailure } from "./judge-failure.ts";
import { openFound } from "./look-into-file.ts";
import { type Piece, zipBytesOf } from "./pack-studies.ts";
import { SpoolZip } from "./spool-zip.ts";
import { entryPath } from "./zip-pieces.ts";

const CHUNK_BYTES = 1024 * 1024;
/** Entries of one upload that are reported one by one. */
const MAX_NAMES = 20_000;
/** Pauses before an upload is tried again that failed for a reason outside of it. */
const RETRY_AFTER_MS = [1_000, 5_000, 15_000];
/** Reasons for which a file is none of ours; others mean that an instance could not be taken. */
const FOREIGN: ReadonlySet<SkippedReason> = new Set(["not_dicom", "dicomdir", "ignored_name"]);

/** The account that an import sends as, and how long it may go on. */
export interface ImportSender extends Pick<Sender, "caller" | "origin"> {
  uploader: Uploader;
  signal: AbortSignal;
}

/** An upload was refused for what it brought. */
export class UploadRefused extends Error {
  override name = "UploadRefused";
  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

/**
 * Sends pieces as one upload; reports each of them.
 * @throws {UploadRefused} when nothing of it was kept
 * @throws {ImportStopped}
 */
export async function sendPieces(
  deps: IngestDeps,
  sender: ImportSender,
  pieces: readonly Piece[],
): Promise<FileReport[]> {
  let added = new Map<string, string>();
  let unreadable: FileReport[] = [];
  const spool = async (path: string, room: UploadRoom): Promise<SpooledUpload> => {
    added = new Map();
    unreadable = [];
    using zip = new SpoolZip(path, room, Bun.randomUUIDv7());
    for (const piece of pieces) {
      sender.signal.throwIfAborted();
      try {
        added.set(await piece.add(zip), piece.path);
      } catch (error) {
        if (error instanceof AppError || error instanceof DiskFull || isWriteError(error)) throw error;
        unreadable.push({ path: piece.path, outcome: "refused", reason: "file.unreadable" });
      }
    }
    return { metadata: {}, sizeBytes: await zip.finish() };
  };
  const result = await sendUpload(deps, sender, { lengthBytes: zipBytesOf(pieces), spool });
  const noted = notedEntries(result);
  const reports = Array.from(
    added,
    ([name, path]): FileReport => ({ path, outcome: "taken", ...noted.get(name) }),
  );
  return [...reports, ...unreadable];
}

/**
 * Sends a ZIP as it is. The first report is its own; entries are reported if they were left out or conflict.
 * @throws {UploadRefused} when nothing of it was kept
 * @throws {ImportStopped}
 */
export async function sendZip(
  deps: IngestDeps,
  sender: ImportSender,
  { path, sizeBytes }: FoundFile,
): Promise<FileReport[]> {
  const spool = async (spoolPath: string, room: UploadRoom): Promise<SpooledUpload> => {
    const fd = readable(() => openFound(path));
    try {
      return { metadata: {}, sizeBytes: await copyInto(spoolPath, fd, room, sender.signal) };
    } finally {
      closeSync(fd);
    }
  };
  const result = await sendUpload(deps, sender, { lengthBytes: sizeBytes, spool });
  const reports: FileReport[] = [];
  for (const [name, noted] of notedEntries(result)) {
    if (noted.outcome !== "already there") reports.push({ path: entryPath(path, name), ...noted });
  }
  const instances = "studies" in result ? instancesIn(result.studies) : 0;
  const isKnown = instances === 0 && !reports.some(({ outcome }) => outcome === "conflict");
  const own: FileReport =
    "studies" in result
      ? { path, outcome: isKnown ? "already there" : "taken", instances }
      : { path, outcome: "skipped", reason: uploadWithoutDicom.code };
  return [own, ...reports];
}

/** What a ZIP without an instance left. */
type NothingTaken = Pick<ScanResult, "skipped">;

/**
 * Sends an upload, again if it fails for a reason that may pass.
 * @throws {UploadRefused}
 * @throws {ImportStopped}
 */
export async function sendUpload(
  deps: IngestDeps,
  { caller, origin, uploader, signal }: ImportSender,
  source: Pick<UploadSource, "lengthBytes" | "spool" | "stored">,
): Promise<TakenUpload | NothingTaken> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    using slot = createUploadSlots({ perAccount: 1, perProcess: 1 }).take(uploader);
    try {
      const limits = {
        maxSkippedNames: MAX_NAMES,
        maxDuplicateNames: MAX_NAMES,
        ...(source.stored && { maxVariants: ALL_VARIANTS }),
      };
      return await takeUpload(deps, { caller, origin, slot }, { ...source, signal, limits });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof AppError && error.kind === uploadWithoutDicom) {
        const { skipped = [] } = (error.options.members ?? {}) as Partial<NothingTaken>;
        return { skipped };
      }
      if (error instanceof UploadRefused) throw error;
      const { is, reason } = judgeFailure(error);
      if (is === "refused") throw new UploadRefused(reason);
      const pauseMs = RETRY_AFTER_MS[attempt];
      if (pauseMs === undefined) throw new ImportStopped(reason, error);
      await pause(pauseMs, undefined, { signal });
    }
  }
}

type Noted = Pick<FileReport, "outcome" | "reason">;

/** What is to say of entries beside that they were taken, by their names. */
function notedEntries(result: TakenUpload | NothingTaken): Map<string, Noted> {
  const noted = new Map<string, Noted>();
  const leave = ({ name, reason }: ScanResult["skipped"][number]) =>
    noted.set(name, { outcome: FOREIGN.has(reason) ? "skipped" : "refused", reason });
  if (!("studies" in result)) {
    for (const left of result.skipped) leave(left);
    return noted;
  }
  const { scan, built } = result;
  for (const { conflicts, duplicateNames, leftOut } of built.studies) {
    for (const { name } of conflicts) noted.set(name, { outcome: "conflict" });
    for (const name of duplicateNames) noted.set(name, { outcome: "already there" });
    for (const left of leftOut) leave(left);
  }
  for (const name of scan.duplicateNames) noted.set(name, { outcome: "already there" });
  for (const left of scan.skipped) leave(left);
  return noted;
}

async function copyInto(path: string, fd: number, room: UploadRoom, signal: AbortSignal): Promise<number> {
  const to = openSync(path, "wx", 0o600);
  const chunk = new Uint8Array(CHUNK_BYTES);
  let sizeBytes = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const read = readable(() => readSync(fd, chunk, 0, CHUNK_BYTES, sizeBytes));
      if (read === 0) return sizeBytes;
      await room.take(read);
      writeFully(to, chunk.subarray(0, read), sizeBytes);
      room.wrote(read);
      sizeBytes += read;
    }
  } finally {
    closeSync(to);
  }
}

/** Reads a file of the sender. @throws {UploadRefused} when it can't be read */
export function readable<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw new UploadRefused("file.unreadable", { cause });
  }
}

/** Whether the disk that is written to failed, not the file that is read. */
function isWriteError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "write";
}
