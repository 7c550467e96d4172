import { constants } from "node:fs";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { MIB } from "../../../../shared/units.ts";
import type { Deps } from "../../../deps.ts";
import { AppError } from "../../../http/app-error.ts";
import { FairTurns } from "../../../runtime/fair-turns.ts";
import { deleteObjects } from "../../../storage/delete-objects.ts";
import { writeAll } from "../../../storage/disk/durable-file.ts";
import { ObjectNotFound, type ObjectStore, StoreUnavailable } from "../../../storage/object-store.ts";
import { type SpoolRoom, SpoolWriter } from "../spool-writer.ts";
import {
  type ArrivingBytes,
  BytesLost,
  type ChunkSum,
  type Landing,
  type SavedBytes,
  SumInTurn,
} from "./arriving-bytes.ts";
import { offsetDiffers } from "./resumable.errors.ts";
import { dropLastPart, findLastPart, listParts } from "./resumable-uploads.repo.ts";
import type { ResumablePart } from "./resumable-uploads.table.ts";

/** One PUT of the store; a part is in memory while it is sent. */
export const PART_BYTES = 8 * MIB;
/** A part shorter than this is joined with the bytes after it, so that tiny requests leave few parts. */
const SHORT_PART_BYTES = 256 * 1024;
const MIN_STEP_BYTES = MIB;
const PUTS_AT_ONCE = 4;
const MAX_LOOKS = 2;

/** Keeps uploads as objects of the store, so that any node goes on with them. */
export function createArrivingParts({ db, node, store }: Pick<Deps, "db" | "node" | "store">): ArrivingBytes {
  const puts = new FairTurns({ turns: PUTS_AT_ONCE, turnsPerAccount: PUTS_AT_ONCE });
  /** Puts a part and reads it back: who sent its bytes is told that they are kept. @throws {StoreUnavailable} */
  async function putPart(part: ResumablePart, path: string): Promise<void> {
    using _ = await puts.take(part.uploadId);
    await store.putFile(partKey(part), path);
    await assertPartKept(store, part);
  }

  /** Reads the last part of an upload. If the store lost it, the upload is set back, so that its sender sends it again. */
  async function readKept(part: ResumablePart, receivedBytes: number): Promise<Uint8Array> {
    try {
      return await readPart(store, part);
    } catch (error) {
      if (!(error instanceof BytesLost)) throw error;
      await db.transaction((tx) => dropLastPart(tx, part, receivedBytes));
      throw new AppError(offsetDiffers, { cause: error });
    }
  }

  return {
    isAlone: false,

    // What the rows name was put into the store before.
    countKept: async ({ receivedBytes }) => receivedBytes,

    async open({ id, receivedBytes }, room) {
      await mkdir(node.arrivingDir, { recursive: true, mode: 0o700 });
      const last = await findLastPart(db, id);
      const isShort = last !== undefined && last.sizeBytes < SHORT_PART_BYTES;
      const bytes = isShort ? await readKept(last, receivedBytes) : undefined;
      const landing = new PartsLanding({ uploadId: id, folder: node.arrivingDir, room, putPart });
      landing.offset = receivedBytes;
      if (isShort && bytes) await landing.goOnAfter(last, bytes);
      return landing;
    },

    async drop(parts) {
      await deleteObjects(store, parts.map(partKey));
    },

    placedBytes: ({ sizeBytes }) => sizeBytes,

    async place({ id, sizeBytes }, path, { room, signal }) {
      await using file = await open(path, "wx", 0o600);
      let offset = 0;
      for (const part of await listParts(db, id)) {
        signal.throwIfAborted();
        if (part.offset !== offset) throw new BytesLost("a part is missing");
        const bytes = await readPart(store, part);
        await room.take(bytes.length);
        await writeAll(file, bytes);
        room.wrote(bytes.length);
        offset += bytes.length;
      }
      if (offset !== sizeBytes) throw new BytesLost("the last part is missing");
      return {};
    },

    async remove(id) {
      await deleteObjects(store, (await listParts(db, id)).map(partKey));
      // What was put and not recorded.
      await store.endUnfinished(`${id}/`);
      const left = await Array.fromAsync(store.list(`${id}/`), ({ key }) => key);
      await deleteObjects(store, left);
    },

    /** Only files of requests that a former run did not end are here. */
    async sweep() {
      await rm(node.arrivingDir, { recursive: true, force: true });
      await mkdir(node.arrivingDir, { recursive: true, mode: 0o700 });
    },
  };
}

export function partKey({ uploadId, id }: Pick<ResumablePart, "uploadId" | "id">): string {
  return `${uploadId}/${id}.part`;
}

/** Reads a part; again if it differs, since a store may answer wrong once. @throws {BytesLost} if the bytes are not those that were put */
export async function readPart(
  store: Pick<ObjectStore, "read">,
  part: Pick<ResumablePart, "id" | "uploadId" | "sizeBytes" | "sha256">,
): Promise<Uint8Array> {
  for (let looks = 1; looks <= MAX_LOOKS; looks++) {
    const bytes = await store.read(partKey(part), { offset: 0, length: part.sizeBytes }).catch((cause) => {
      throw cause instanceof ObjectNotFound ? new BytesLost("a part is missing", { cause }) : cause;
    });
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    if (sha256 === part.sha256) return bytes;
  }
  throw new BytesLost("a part differs");
}

/** Reads back a part that was put. @throws {StoreUnavailable} if it differs */
export async function assertPartKept(
  store: Pick<ObjectStore, "read">,
  part: Parameters<typeof readPart>[1],
): Promise<void> {
  await readPart(store, part).catch((cause) => {
    throw cause instanceof BytesLost ? new StoreUnavailable("the copy differs", { cause }) : cause;
  });
}

interface PartsOptions {
  uploadId: string;
  folder: string;
  room: SpoolRoom;
  putPart(part: ResumablePart, path: string): Promise<void>;
}

/** A part that collects bytes in a file of this node until it is put into the store. */
interface OpenPart {
  part: ResumablePart;
  path: string;
  file: FileHandle;
  writer: SpoolWriter;
  sum: Bun.CryptoHasher;
}

class PartsLanding implements Landing {
  readonly minStepBytes = MIN_STEP_BYTES;
  readonly savesWhileAdding = false;
  offset = 0;
  readonly #options: PartsOptions;
  readonly #full: OpenPart[] = [];
  #open: OpenPart | undefined;
  #replaced: ResumablePart[] = [];

  constructor(options: PartsOptions) {
    this.#options = options;
  }

  /** Begins with the bytes of a recorded part, which this landing replaces. */
  async goOnAfter(part: ResumablePart, bytes: Uint8Array): Promise<void> {
    this.offset = part.offset;
    this.#replaced = [part];
    await this.add(bytes);
  }

  give(piece: Uint8Array): Promise<void> {
    return this.add(piece);
  }

  async add(piece: Uint8Array): Promise<void> {
    for (let rest = piece; rest.length > 0; ) {
      this.#open ??= await this.#begin();
      const { part, writer, sum } = this.#open;
      const taken = rest.subarray(0, PART_BYTES - part.sizeBytes);
      sum.update(taken);
      part.sizeBytes += taken.length;
      await writer.add(taken);
      if (part.sizeBytes === PART_BYTES) await this.#close();
      rest = rest.subarray(taken.length);
    }
  }

  openSum(): ChunkSum {
    return new SumInTurn();
  }

  /** Nothing: the node that takes the last bytes may have none of the others. */
  sumVolume(): void {}

  async save(): Promise<SavedBytes> {
    await this.#close();
    const added: ResumablePart[] = [];
    for (const { part, path } of this.#full) {
      await this.#options.putPart(part, path);
      added.push(part);
    }
    for (const { path } of this.#full.splice(0)) await rm(path, { force: true });
    return { end: this.offset, added, replaced: this.#replaced.splice(0) };
  }

  async #begin(): Promise<OpenPart> {
    const { uploadId, folder, room } = this.#options;
    const id = Bun.randomUUIDv7();
    const path = join(folder, id);
    const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    const part = { id, uploadId, offset: this.offset, sizeBytes: 0, sha256: "" };
    return { part, path, file, writer: new SpoolWriter(file, room), sum: new Bun.CryptoHasher("sha256") };
  }

  async #close(): Promise<void> {
    const open = this.#open;
    if (!open) return;
    await open.writer.flush();
    open.part.sha256 = open.sum.digest("hex");
    this.offset += open.part.sizeBytes;
    this.#full.push(open);
    this.#open = undefined;
    await open.writer[Symbol.asyncDispose]();
    await open.file.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#open) {
      await this.#open.writer[Symbol.asyncDispose]();
      await this.#open.file.close();
      await rm(this.#open.path, { force: true });
    }
    for (const { path } of this.#full) await rm(path, { force: true });
  }
}
