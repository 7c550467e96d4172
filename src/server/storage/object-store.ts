/** A run of bytes inside an object: `offset` from its first byte, `length` in bytes. */
export interface ByteRange {
  offset: number;
  length: number;
}

/**
 * Where bytes rest. Objects are immutable: a key is written once and whole, read by ranges, and deleted.
 * Two adapters (`disk`, `s3`), one contract suite in `test/contract`.
 *
 * Keys are relative paths of `[A-Za-z0-9._-]` segments joined by `/`; adapters refuse any other.
 * @throws {ObjectNotFound} where a read names a key that is not there
 * @throws {StoreUnavailable} where the store can't be reached or answers nonsense (after bounded retries)
 */
export interface ObjectStore {
  readonly kind: "disk" | "s3";

  /**
   * Stores the local file at `path` under `key`. The object appears whole or not at all and is durable when
   * this resolves. Putting the same key again replaces it (a restarted transfer does that). Constant memory.
   */
  putFile(key: string, path: string, options?: { signal?: AbortSignal }): Promise<void>;

  /** As {@link putFile}, for bytes in memory. */
  putBytes(key: string, bytes: Uint8Array): Promise<void>;

  /** `undefined` where there is no such object. */
  stat(key: string): Promise<{ sizeBytes: number } | undefined>;

  /** Another one whenever anybody wrote to the object; undefined where it is gone, or was written to just now. */
  revision?(key: string): Promise<string | undefined>;

  /** Reads one range into memory. A range past the end of the object is a {@link StoreUnavailable}. */
  read(key: string, range: ByteRange): Promise<Uint8Array>;

  /** A body to answer with: streamed, in constant memory. Without `range`, the whole object. */
  open(key: string, range?: ByteRange): Promise<Blob | ReadableStream<Uint8Array>>;

  /** Reads from `offset` on into given memory, one buffer after the other. Where there is {@link scan}, too. */
  readInto?(key: string, offset: number, buffers: Uint8Array[]): Promise<void>;

  /**
   * The bytes of a range, which must not be empty, in buffers of `bufferBytes`, the last one shorter; each is good until
   * the next is asked for. Only where reading costs so little that what is sent may be read once more before.
   */
  scan?(key: string, range: ByteRange, bufferBytes: number): AsyncGenerator<Uint8Array>;

  /** Deletes the object and every version of it. An absent key is fine. */
  delete(key: string): Promise<void>;

  /** Every object whose key starts with `prefix`, in key order. */
  list(prefix: string): AsyncIterable<{ key: string; sizeBytes: number }>;

  /**
   * Removes what an interrupted {@link putFile} left behind, if begun before `olderThan`. Returns how many. A store that
   * others may share asks `ours` first, and touches nothing else; a disk is nobody else's.
   */
  sweepUnfinished(olderThan: Date, ours: OwnKeys): Promise<number>;

  /** Ends every {@link putFile} under `prefix` that goes on anywhere, as far as the store knows of it. */
  endUnfinished(prefix: string): Promise<number>;

  /** Resolves when the store can be used; for `/api/health`. */
  check(): Promise<void>;
}

/** Which of these keys the caller's own records name. */
export type OwnKeys = (keys: readonly string[]) => Promise<ReadonlySet<string>>;

export class ObjectNotFound extends Error {
  override name = "ObjectNotFound";
  constructor(readonly key: string) {
    super(`no object ${key}`);
  }
}

export class StoreUnavailable extends Error {
  override name = "StoreUnavailable";
}

const SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/;

/** @throws {TypeError} where the key is not one that every adapter can hold */
export function assertObjectKey(key: string): void {
  if (key.length > 512 || !key.split("/").every((segment) => SEGMENT.test(segment))) {
    throw new TypeError(`not an object key: ${JSON.stringify(key.slice(0, 80))}`);
  }
}
