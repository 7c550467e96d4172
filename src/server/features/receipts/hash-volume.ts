import { crc32, createInflateRaw } from "node:zlib";
import type { ReceivedInstance } from "../../../shared/api/receipts.ts";
import { METHOD_STORED } from "../../../shared/zip/zip-format.ts";
import { ContentHash } from "../../archive/content-hash.ts";
import { isInflateFailure } from "../../archive/inflate-failure.ts";
import { InstanceDamaged } from "../../archive/instance-reader.ts";
import type { KeptVariant } from "../../archive/manifest.ts";
import { type Pieces, piecesOf, through } from "../../archive/pieces.ts";
import { noteDamage } from "../../holdings/checking/note-damage.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import { type ObjectDeps, streamObject } from "../../holdings/reading/open-object.ts";
import { AppError } from "../../http/app-error.ts";
import { archiveDamaged } from "../../http/http.errors.ts";

/** An instance in a volume, with what was recorded when it arrived. */
export type PlacedInstance = Omit<KeptVariant, "volumeId">;

const INFLATED_PIECE_BYTES = 256 * 1024;

/**
 * The SHA-256 of instances of a volume, which is read once from its beginning to its end: its bytes must be those that were stored
 * (by their SHA-256), and each instance those that arrived (by its length, CRC-32 and content hash). Memory: one piece.
 * @throws {AppError} `archive.damaged`, which marks the study; 503 while its bytes are staged on another node
 */
export async function hashVolume(
  deps: ObjectDeps,
  volume: StoredObjectRow,
  instances: readonly PlacedInstance[],
  signal: AbortSignal,
): Promise<ReceivedInstance[]> {
  try {
    const pieces = piecesOf(await streamObject(deps, volume, { offset: 0, length: volume.sizeBytes }));
    try {
      return await hashInstances(new HashedSource(pieces, signal), instances, volume.sha256);
    } finally {
      await pieces.return(undefined);
    }
  } catch (error) {
    if (!(error instanceof InstanceDamaged) || !(await noteDamage(deps, volume, "damaged"))) throw error;
    throw new AppError(archiveDamaged, { cause: error });
  }
}

/** @throws {InstanceDamaged} */
async function hashInstances(
  source: HashedSource,
  instances: readonly PlacedInstance[],
  sha256: string,
): Promise<ReceivedInstance[]> {
  const received: ReceivedInstance[] = [];
  for (const instance of instances.toSorted((a, b) => a.dataOffset - b.dataOffset)) {
    received.push(await hashInstance(instance, source.range(instance.dataOffset, instance.storedBytes)));
  }
  if ((await source.digest()) !== sha256) throw new InstanceDamaged("a volume is not what was stored");
  return received;
}

/** @throws {InstanceDamaged} */
async function hashInstance(instance: PlacedInstance, stored: Pieces): Promise<ReceivedInstance> {
  const { sopInstanceUID, sizeBytes, method, contentHash } = instance;
  const sha256 = new Bun.CryptoHasher("sha256");
  const content = new ContentHash();
  let checksum = 0;
  let length = 0;
  for await (const piece of method === METHOD_STORED ? stored : inflated(stored, sizeBytes)) {
    length += piece.length;
    if (length > sizeBytes) break;
    sha256.update(piece);
    content.update(piece);
    checksum = crc32(piece, checksum);
  }
  const isRight = length === sizeBytes && checksum === instance.crc32;
  if (!isRight || (contentHash !== undefined && contentHash !== content.digest()))
    throw new InstanceDamaged("an entry is not what arrived");
  return { sopInstanceUID, sha256: sha256.digest("hex"), sizeBytes };
}

async function* inflated(stored: Pieces, sizeBytes: number): AsyncGenerator<Uint8Array> {
  const chunkSize = Math.max(64, Math.min(INFLATED_PIECE_BYTES, sizeBytes));
  try {
    yield* through(stored, createInflateRaw({ chunkSize }));
  } catch (cause) {
    throw isInflateFailure(cause) ? new InstanceDamaged("an entry does not inflate", { cause }) : cause;
  }
}

/** Pieces that are read once, of which ranges are taken in order. All of them are hashed. */
class HashedSource {
  readonly #sha256 = new Bun.CryptoHasher("sha256");
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);
  #offset = 0;

  constructor(
    pieces: AsyncGenerator<Uint8Array>,
    private readonly signal: AbortSignal,
  ) {
    this.#pieces = pieces;
  }

  /** The bytes of a range that begins where the last one ended, or behind. @throws {InstanceDamaged} if there are fewer */
  async *range(offset: number, length: number): AsyncGenerator<Uint8Array> {
    if (offset < this.#offset) throw new InstanceDamaged("two entries overlap");
    while (this.#offset < offset) await this.#take(offset - this.#offset);
    const end = offset + length;
    while (this.#offset < end) yield await this.#take(end - this.#offset);
  }

  /** The hash of everything, once the rest is read. */
  async digest(): Promise<string> {
    while (await this.#fill()) this.#rest = new Uint8Array(0);
    return this.#sha256.digest("hex");
  }

  async #take(maxBytes: number): Promise<Uint8Array> {
    if (this.#rest.length === 0 && !(await this.#fill())) throw new InstanceDamaged("a volume ends early");
    const taken = this.#rest.subarray(0, maxBytes);
    this.#rest = this.#rest.subarray(taken.length);
    this.#offset += taken.length;
    return taken;
  }

  async #fill(): Promise<boolean> {
    this.signal.throwIfAborted();
    const { value, done } = await this.#pieces.next();
    if (done) return false;
    this.#sha256.update(value);
    this.#rest = value;
    return true;
  }
}
