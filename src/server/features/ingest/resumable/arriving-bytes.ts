import type { SpoolRoom } from "../spool-writer.ts";
import type { GuessedVolume } from "../worker/worker-messages.ts";
import type { ResumablePart, ResumableUpload } from "./resumable-uploads.table.ts";

/** What {@link Landing.save} made durable: the bytes before `end`, the parts to record, and those that they replace. */
export interface SavedBytes {
  end: number;
  added: ResumablePart[];
  replaced: ResumablePart[];
}

/** The place where the bytes of one request land, from the upload's offset on. */
export interface Landing extends AsyncDisposable {
  add(piece: Uint8Array): Promise<void>;
  /** Like {@link add}, for a piece that nobody else uses: its memory may be given back once it is written. */
  give(piece: Uint8Array): Promise<void>;
  /** Begins to sum what is added from now on. */
  openSum(): ChunkSum;
  /** Has the volume that the upload becomes summed while its bytes come, if somebody can. They have no sum of their own. */
  sumVolume(): void;
  /** Resolves when everything added is on stable storage. The caller records it afterwards. */
  save(): Promise<SavedBytes>;
  /** Whether more may be added meanwhile. */
  readonly savesWhileAdding: boolean;
  /** Fewer bytes than this are saved only at the end. */
  readonly minStepBytes: number;
}

/** The SHA-256 of a chunk. */
export interface ChunkSum {
  update(piece: Uint8Array): void;
  /** As hex, once everything is added. */
  digest(): Promise<string>;
}

/** A whole upload as a new file. */
export interface PlacedUpload {
  /** The volume that the ZIP may become, if it was hashed as it came. */
  guessed?: GuessedVolume | undefined;
  /** Where to save the bytes that building in place overwrites, if the file shares its bytes with what arrived. */
  undoPath?: string;
}

/**
 * Keeps the bytes of uploads that are not whole yet: a file on this node's disk, which is alone with its archive, or objects of an
 * S3 store, so that every node takes every request and the loss of one loses nothing.
 */
export interface ArrivingBytes {
  /** Whether every request with bytes of an upload comes to this process. */
  readonly isAlone: boolean;
  /** @throws {BytesLost} */
  open(upload: ResumableUpload, room: SpoolRoom): Promise<Landing>;
  /** Deletes the bytes of parts that were not recorded, or that others replaced. */
  drop(parts: readonly ResumablePart[]): Promise<void>;
  /** How many of the recorded bytes are there; the upload can go on from there. */
  countKept(upload: ResumableUpload): Promise<number>;
  /** Bytes that {@link place} writes. */
  placedBytes(upload: ResumableUpload): number;
  /** Makes the new file `path` of a whole upload. `isFirst`: nothing was made of it before. @throws {BytesLost} */
  place(
    upload: ResumableUpload,
    path: string,
    options: { room: SpoolRoom; signal: AbortSignal; isFirst: boolean },
  ): Promise<PlacedUpload>;
  /** Removes everything of an upload. Idempotent. */
  remove(uploadId: string): Promise<void>;
  /** Removes what no row names, and has not for long at the time `at`: `findKnown` tells which of these uploads have one. */
  sweep(findKnown: (uploadIds: string[]) => Promise<Set<string>>, at: Date): Promise<void>;
}

/** Sums a chunk by the process that receives it. */
export class SumInTurn implements ChunkSum {
  readonly #hash = new Bun.CryptoHasher("sha256");

  update(piece: Uint8Array): void {
    this.#hash.update(piece);
  }

  async digest(): Promise<string> {
    return this.#hash.digest("hex");
  }
}

/** Bytes that were on stable storage are gone. */
export class BytesLost extends Error {
  override name = "BytesLost";
}
