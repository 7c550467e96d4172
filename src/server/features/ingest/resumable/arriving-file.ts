import { constants, existsSync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isUuid } from "../../../../shared/uuid.ts";
import { undoInPlace } from "../../../archive/undo-in-place.ts";
import type { Deps } from "../../../deps.ts";
import { beginFlush } from "../../../storage/disk/begin-flush.ts";
import { copy, linkOrCopy, statFile, sync } from "../../../storage/disk/durable-file.ts";
import { isAbsent } from "../../../storage/disk/fs-failure.ts";
import type { SpoolRoom } from "../spool-writer.ts";
import { SpoolWriter } from "../spool-writer.ts";
import { type ArrivingBytes, BytesLost, type Landing, type SavedParts } from "./arriving-bytes.ts";
import type { ResumableUpload } from "./resumable-uploads.table.ts";

const NO_PARTS: SavedParts = { added: [], replaced: [] };
const MIN_STEP_BYTES = 64 * 1024;
/** The disk begins with so many written bytes at once, while more arrive. */
const FLUSHED_AT_ONCE_BYTES = 1024 * 1024;

/** Keeps each upload as one file of this disk, beside which nothing of it is kept. */
export function createArrivingFiles({ node }: Pick<Deps, "node">): ArrivingBytes {
  const folderOf = (id: string) => join(node.arrivingDir, id);
  const bytesOf = (id: string) => join(folderOf(id), "bytes");
  const undoOf = (id: string) => join(folderOf(id), "undo");

  async function countKept({ id, receivedBytes }: ResumableUpload): Promise<number> {
    const file = receivedBytes > 0 ? await statFile(bytesOf(id)) : undefined;
    return Math.min(receivedBytes, file?.size ?? 0);
  }

  return {
    countKept,

    async open(upload, room) {
      const { id, receivedBytes } = upload;
      const isNew = receivedBytes === 0;
      if (isNew) await mkdir(folderOf(id), { recursive: true, mode: 0o700 });
      const flags = constants.O_RDWR | constants.O_NOFOLLOW | (isNew ? constants.O_CREAT : 0);
      const file = await openKept(bytesOf(id), flags, receivedBytes);
      return new FileLanding(file, receivedBytes, room, isNew ? [folderOf(id), node.arrivingDir] : []);
    },

    drop: async () => {},

    placedBytes: () => 0,

    async place(upload, path, { room, signal, isFirst }) {
      const { id, sizeBytes } = upload;
      if ((await countKept(upload)) < sizeBytes) throw new BytesLost("the file is too short");
      // A former run may have built in place: its changes are taken back, and this one works on a copy.
      if (isFirst && !existsSync(undoOf(id))) {
        await linkOrCopy(bytesOf(id), path, signal);
        return { undoPath: undoOf(id) };
      }
      await undoInPlace(bytesOf(id), undoOf(id));
      await room.take(sizeBytes);
      await copy(bytesOf(id), path, signal);
      room.wrote(sizeBytes);
      return {};
    },

    remove: (id) => rm(folderOf(id), { recursive: true, force: true }),

    async sweep(findKnown) {
      const ids = (await readdir(node.arrivingDir)).filter(isUuid);
      const known = await findKnown(ids);
      for (const id of ids) if (!known.has(id)) await rm(folderOf(id), { recursive: true, force: true });
    },
  };
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

class FileLanding implements Landing {
  readonly minStepBytes = MIN_STEP_BYTES;
  readonly #file: FileHandle;
  readonly #writer: SpoolWriter;
  /** Folders whose new entries are not durable yet. */
  readonly #unsynced: string[];
  #canHurry = true;

  constructor(file: FileHandle, offset: number, room: SpoolRoom, unsynced: string[]) {
    this.#file = file;
    this.#unsynced = unsynced;
    let begunOffset = offset;
    let writtenOffset = offset;
    this.#writer = new SpoolWriter(
      file,
      {
        take: (bytes) => room.take(bytes),
        wrote: (bytes) => {
          room.wrote(bytes);
          writtenOffset += bytes;
          if (writtenOffset - begunOffset < FLUSHED_AT_ONCE_BYTES || !this.#canHurry) return;
          this.#canHurry = beginFlush(file.fd, begunOffset, writtenOffset - begunOffset);
          begunOffset = writtenOffset;
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

  async save(): Promise<SavedParts> {
    await this.#writer.flush();
    await this.#file.datasync();
    for (const folder of this.#unsynced.splice(0)) await sync(folder);
    return NO_PARTS;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer[Symbol.asyncDispose]();
    await this.#file.close();
  }
}
