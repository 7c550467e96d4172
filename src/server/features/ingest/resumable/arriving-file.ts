import { constants, existsSync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { DAY_MS } from "../../../../shared/units.ts";
import { isUuid } from "../../../../shared/uuid.ts";
import { undoInPlace } from "../../../archive/undo-in-place.ts";
import type { Deps } from "../../../deps.ts";
import { beginFlush } from "../../../storage/disk/begin-flush.ts";
import { isOutOfSpace } from "../../../storage/disk/disk-room.ts";
import { copy, linkOrCopy, statFile, sync } from "../../../storage/disk/durable-file.ts";
import { isAbsent } from "../../../storage/disk/fs-failure.ts";
import { sha256OfFile } from "../../../storage/disk/sha256-of-file.ts";
import { type SpoolRoom, SpoolWriter } from "../spool-writer.ts";
import type { ArrivingSums } from "../worker/arriving-sums.ts";
import {
  type ArrivingBytes,
  BytesLost,
  type ChunkSum,
  type Landing,
  type SavedBytes,
  SumInTurn,
} from "./arriving-bytes.ts";
import { arrivingPaths } from "./arriving-paths.ts";
import type { ResumableUpload } from "./resumable-uploads.table.ts";
import type { SideSums } from "./side-sums.ts";

const MIN_STEP_BYTES = 64 * 1024;
const UNNAMED_MS = 30 * DAY_MS;
/** The disk begins with so many written bytes at once, while more arrive. */
const FLUSHED_AT_ONCE_BYTES = 1024 * 1024;

/** Keeps each upload as one file of this disk, beside which nothing of it is kept. */
export function createArrivingFiles(
  { node }: { node: Pick<Deps["node"], "arrivingDir"> },
  side: SideSums,
): ArrivingBytes {
  const folderOf = (id: string) => arrivingPaths(node.arrivingDir, id).folder;
  const bytesOf = (id: string) => arrivingPaths(node.arrivingDir, id).bytes;
  const undoOf = (id: string) => arrivingPaths(node.arrivingDir, id).undo;

  async function countKept({ id, receivedBytes }: ResumableUpload): Promise<number> {
    const file = receivedBytes > 0 ? await statFile(bytesOf(id)) : undefined;
    return Math.min(receivedBytes, file?.size ?? 0);
  }

  return {
    isAlone: true,

    countKept,

    async open(upload, room) {
      const { id, receivedBytes } = upload;
      const isNew = receivedBytes === 0;
      if (isNew) await mkdir(folderOf(id), { recursive: true, mode: 0o700 });
      const flags = constants.O_RDWR | constants.O_NOFOLLOW | (isNew ? constants.O_CREAT : 0);
      const file = await openKept(bytesOf(id), flags, receivedBytes);
      return new FileLanding(file, receivedBytes, {
        room,
        unsynced: isNew ? [folderOf(id), node.arrivingDir] : [],
        openSums: () => side.open(upload, bytesOf(id)),
        keepSums: (end) => side.keep(id, end),
        dropSums: () => side.drop(id),
      });
    },

    drop: async () => {},

    placedBytes: () => 0,

    async place(upload, path, { room, signal, isFirst }) {
      const { id, sizeBytes } = upload;
      if ((await countKept(upload)) < sizeBytes) throw new BytesLost("the file is too short");
      // A former run may have built in place: its changes are taken back, and this one works on a copy.
      if (isFirst && !existsSync(undoOf(id))) {
        const guessed = await side.take(upload);
        await linkOrCopy(bytesOf(id), path, signal);
        return { undoPath: undoOf(id), guessed };
      }
      await undoInPlace(bytesOf(id), undoOf(id));
      await room.take(sizeBytes);
      await copy(bytesOf(id), path, signal);
      room.wrote(sizeBytes);
      return {};
    },

    async remove(id) {
      side.drop(id);
      await rm(folderOf(id), { recursive: true, force: true });
    },

    async sweep(findKnown, at) {
      const ids = (await readdir(node.arrivingDir)).filter(isUuid);
      const known = await findKnown(ids);
      for (const id of ids) {
        const { folder, unnamed } = arrivingPaths(node.arrivingDir, id);
        if (known.has(id)) await rm(unnamed, { force: true });
        else if (await isUnnamedForLong(unnamed, at)) await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Bytes that no row names may be those of another database, with which this server was started by mistake. Notes when it first looked. */
async function isUnnamedForLong(path: string, at: Date): Promise<boolean> {
  const since = existsSync(path) ? Number.parseInt(await readFile(path, "utf8"), 10) : Number.NaN;
  if (since <= at.getTime()) return at.getTime() - since > UNNAMED_MS;
  try {
    await writeFile(path, String(at.getTime()), { mode: 0o600 });
  } catch (error) {
    // A full disk leaves the note empty: the next start with room for it writes it.
    if (!isOutOfSpace(error)) throw error;
  }
  return false;
}

/** @throws {BytesLost} unless the file has all that was received */
async function openKept(path: string, flags: number, receivedBytes: number): Promise<FileHandle> {
  const file = await open(path, flags, 0o600).catch((cause) => {
    throw isAbsent(cause) ? new BytesLost("the file is gone", { cause }) : cause;
  });
  if (receivedBytes === 0 || (await file.stat()).size >= receivedBytes) return file;
  await file.close();
  throw new BytesLost("the file is too short");
}

interface FileLandingOptions {
  room: SpoolRoom;
  /** Folders to sync, so that the upload's new names in them are durable. */
  unsynced: string[];
  openSums: () => ArrivingSums | undefined;
  /** Tells up to where the sums are those of the upload. */
  keepSums: (end: number) => void;
  /** Tells that they are of no use. */
  dropSums: () => void;
}

/** @throws {BytesLost} */
async function sumOf(file: FileHandle, start: number, end: number): Promise<string> {
  const sum = await sha256OfFile(file, start, end);
  if (sum === undefined) throw new BytesLost("the file is too short");
  return sum;
}

class FileLanding implements Landing {
  readonly minStepBytes = MIN_STEP_BYTES;
  readonly savesWhileAdding = true;
  readonly #file: FileHandle;
  readonly #writer: SpoolWriter;
  /** See {@link FileLandingOptions.unsynced}; empty once they are synced. */
  readonly #unsynced: string[];
  readonly #options: FileLandingOptions;
  #canHurry = true;
  #writtenOffset: number;
  #savedOffset: number;
  #sums: ArrivingSums | undefined;
  #summed: "volume" | "chunk" = "volume";
  /** A sync that began before it was asked for, and up to where it reaches. */
  #early: { end: number; synced: Promise<void> } | undefined;

  constructor(file: FileHandle, offset: number, options: FileLandingOptions) {
    const { room, unsynced } = options;
    this.#file = file;
    this.#unsynced = unsynced;
    this.#options = options;
    this.#writtenOffset = this.#savedOffset = offset;
    let begunOffset = offset;
    this.#writer = new SpoolWriter(
      file,
      {
        take: (bytes) => room.take(bytes),
        wrote: (bytes) => {
          room.wrote(bytes);
          this.#writtenOffset += bytes;
          const end = this.#writtenOffset;
          this.#sums?.reach(end, this.#summed);
          if (end - begunOffset < FLUSHED_AT_ONCE_BYTES || !this.#canHurry) return;
          this.#canHurry = beginFlush(file.fd, begunOffset, end - begunOffset);
          begunOffset = end;
        },
      },
      offset,
    );
  }

  add(piece: Uint8Array): Promise<void> {
    return this.#writer.add(piece);
  }

  give(piece: Uint8Array): Promise<void> {
    return this.#writer.give(piece);
  }

  openSum(): ChunkSum {
    const start = this.#writtenOffset;
    const sums = this.#options.openSums();
    if (!sums) return new SumInTurn();
    this.#sums = sums;
    this.#summed = "chunk";
    return {
      update: () => {},
      digest: async () => {
        await this.#writer.flush();
        const end = this.#writtenOffset;
        const synced = this.#file.datasync();
        synced.catch(() => {}); // thrown by save
        this.#early = { end, synced };
        return await sums.chunkSum(end).catch(() => {
          this.#dropSums();
          return sumOf(this.#file, start, end);
        });
      },
    };
  }

  sumVolume(): void {
    this.#sums = this.#options.openSums();
  }

  async save(): Promise<SavedBytes> {
    await this.#writer.flush();
    const end = this.#writtenOffset;
    await (this.#early?.end === end ? this.#early.synced : this.#file.datasync());
    for (const folder of this.#unsynced.splice(0)) await sync(folder);
    this.#savedOffset = end;
    if (this.#sums) this.#options.keepSums(end);
    return { end, added: [], replaced: [] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer[Symbol.asyncDispose]();
    // Otherwise more is summed than the upload has.
    if (this.#savedOffset !== this.#writtenOffset) this.#dropSums();
    await this.#early?.synced.catch(() => {}); // thrown by save
    await this.#file.close();
  }

  #dropSums(): void {
    if (this.#sums) this.#options.dropSums();
    this.#sums = undefined;
  }
}
