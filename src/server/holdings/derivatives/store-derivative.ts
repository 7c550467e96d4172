import { mkdir, open, rm } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { writeAll } from "../../storage/disk/durable-file.ts";
import { sha256OfFile } from "../../storage/disk/sha256-of-file.ts";
import { copyToArchive } from "../transfer/transfer-upload.ts";
import { abandonUpload } from "../uploads/abandon-upload.ts";
import { recordUpload } from "../uploads/record-upload.ts";
import { uploadInterrupted } from "../uploads/uploads.errors.ts";
import { endUpload } from "../uploads/uploads.repo.ts";
import { type DerivativeIndex, type DerivedFrame, encodeIndex } from "./derivative-index.ts";
import { saveDerivative } from "./derivatives.repo.ts";

type StoreDeps = Pick<Deps, "db" | "disk" | "node" | "store" | "clock" | "log">;

/** The series that is copied. */
export interface DerivedSeries {
  accountId: string;
  studyId: string;
  manifestId: string;
}

/** The file of a copy that is being made. */
export interface DerivativeWriter {
  /** Where the next frame begins. */
  readonly sizeBytes: number;
  /** Appends a code stream. @throws {DiskFull} */
  append(codeStream: Uint8Array, prefixLengths: number[]): Promise<DerivedFrame>;
  /** Drops what was appended behind `sizeBytes`. */
  cutTo(sizeBytes: number): Promise<void>;
}

/** The room on the disk is reserved in steps of this many bytes. */
const STEP_BYTES = 16 * 1024 * 1024;

/**
 * Has `write` make the copy of a series in a file, puts the file into the archive store, reads it back, and records it. It is
 * recorded as an upload before its first byte, so that the sweeper removes what a crash leaves. If `write` returns `undefined`,
 * nothing is kept. @returns whether the series has this copy now
 * @throws {DiskFull}
 */
export async function storeDerivative(
  deps: StoreDeps,
  { accountId, studyId, manifestId }: DerivedSeries,
  write: (writer: DerivativeWriter) => Promise<DerivativeIndex | undefined>,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, node, clock } = deps;
  const uploadId = Bun.randomUUIDv7();
  await recordUpload(deps, { id: uploadId, accountId });
  try {
    const folder = node.stagedPath(uploadId);
    await mkdir(folder); // by which the sweeper finds the upload
    const key = `${uploadId}/${Bun.randomUUIDv7()}.htj2k`;
    const file = await writeFile(deps, node.stagedPath(key), write);
    if (!file) {
      await abandonUpload(deps, uploadId);
      return false;
    }
    await copyToArchive(deps, { key, ...file }, signal);
    const { sizeBytes, indexOffset, indexSha256 } = file;
    const isSaved = await db.transaction(async (tx) => {
      const made = { manifestId, studyId, key, sizeBytes, indexOffset, indexSha256 };
      if (!(await saveDerivative(tx, made))) return false;
      if (!(await endUpload(tx, uploadId, "committed", clock.now()))) throw new AppError(uploadInterrupted);
      return true;
    });
    if (isSaved) await rm(folder, { recursive: true, force: true });
    else await abandonUpload(deps, uploadId);
    return isSaved;
  } catch (error) {
    await abandonUpload(deps, uploadId);
    throw error;
  }
}

async function writeFile(
  { disk }: Pick<Deps, "disk">,
  path: string,
  write: (writer: DerivativeWriter) => Promise<DerivativeIndex | undefined>,
) {
  await using file = await open(path, "ax+", 0o600);
  using room = await disk.reserve(STEP_BYTES);
  let sizeBytes = 0;
  const put = async (bytes: Uint8Array) => {
    if (room.leftBytes < bytes.length) await room.extend(Math.max(STEP_BYTES, bytes.length));
    await writeAll(file, bytes);
    room.spend(bytes.length);
    sizeBytes += bytes.length;
  };
  const index = await write({
    get sizeBytes() {
      return sizeBytes;
    },
    async append(codeStream, prefixLengths) {
      const frame = { offset: sizeBytes, length: codeStream.length, crc32: crc32(codeStream), prefixLengths };
      await put(codeStream);
      return frame;
    },
    async cutTo(bytes) {
      await file.truncate(bytes);
      sizeBytes = bytes;
    },
  });
  if (!index) return undefined;
  const packed = encodeIndex(index);
  const indexOffset = sizeBytes;
  await put(packed);
  await file.sync();
  const indexSha256 = new Bun.CryptoHasher("sha256").update(packed).digest("hex");
  const sha256 = await sha256OfFile(file, 0, sizeBytes);
  if (sha256 === undefined) throw new RangeError("the file is shorter than what was written");
  return { sizeBytes, indexOffset, indexSha256, sha256 };
}
