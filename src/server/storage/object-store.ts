/** A range of an object's bytes: `offset` counts from its first byte. */
export interface ByteRange {
  offset: number;
  length: number;
}

/**
 * Stores bytes at rest. Objects are immutable: a key is written once as a whole, read by ranges, and deleted.
 * Two adapters (`disk`, `s3`), one contract suite in `test/contract`.
 *
 * Keys are relative paths of `[A-Za-z0-9._-]` segments joined by `/`; adapters refuse any other.
 * @throws {ObjectNotFound} if a read names an absent key
 * @throws {StoreUnavailable} if the store can't be reached or answers nonsense, after bounded retries
 * @throws {StoreRefuses} if it answers that it takes no bytes
 */
export interface ObjectStore {
  readonly kind: "disk" | "s3";

  /**
   * Stores the local file at `path` under `key`. The object appears whole or not at all and is durable when
   * this resolves. Putting the same key again replaces it, as a restarted transfer does. Constant memory.
   */
  putFile(key: string, path: string, options?: { signal?: AbortSignal }): Promise<void>;

  /** As {@link putFile}, for bytes in memory. */
  putBytes(key: string, bytes: Uint8Array): Promise<void>;

  /** `undefined` if there is no such object. */
  stat(key: string): Promise<{ sizeBytes: number } | undefined>;

  /** Changes whenever anybody writes to the object; undefined if it is gone, or was written to just now. */
  revision?(key: string): Promise<string | undefined>;

  /** Reads one range into memory. A range past the end of the object is a {@link StoreUnavailable}. */
  read(key: string, range: ByteRange): Promise<Uint8Array>;

  /** Opens a body that streams a range, or the whole object, in constant memory. */
  open(key: string, range?: ByteRange): Promise<Blob | ReadableStream<Uint8Array>>;

  /** Fills `bytes` from `offset` on. Only stores with {@link scan} have this. */
  readInto?(key: string, offset: number, bytes: Uint8Array): Promise<void>;

  /**
   * The bytes of a range, which must not be empty, in buffers of `bufferBytes`; the last one may be shorter. A buffer is
   * valid until the next is asked for. Only stores where a read is cheap enough to read everything twice have this.
   */
  scan?(key: string, range: ByteRange, bufferBytes: number): AsyncGenerator<Uint8Array>;

  /** Deletes the object and all its versions. Deleting an absent key succeeds. */
  delete(key: string): Promise<void>;

  /** Every object whose key starts with `prefix`, in key order. */
  list(prefix: string): AsyncIterable<{ key: string; sizeBytes: number }>;

  /**
   * Removes what interrupted {@link putFile}s left behind that began before `olderThan`, and returns how many. A store that
   * others may share first asks `ours` which keys it may touch. A disk belongs to this node alone.
   */
  sweepUnfinished(olderThan: Date, ours: OwnKeys): Promise<number>;

  /** Aborts every running {@link putFile} under `prefix` that the store knows of, on any node. */
  endUnfinished(prefix: string): Promise<number>;

  /** Resolves if the store can be used. `/api/health` asks. */
  check(): Promise<void>;

  /** Why the store refused what was put last, if that was a short while ago: {@link check} can't tell without putting something. */
  refusal?(): StoreRefusal | undefined;
}

/** Returns which of these keys the caller's own records name. */
export type OwnKeys = (keys: readonly string[]) => Promise<ReadonlySet<string>>;

export class ObjectNotFound extends Error {
  override name = "ObjectNotFound";
  constructor(readonly key: string) {
    super(`no object ${key}`);
  }
}

export class StoreUnavailable extends Error {
  override name = "StoreUnavailable";

  /** Whether the store or the way to it failed for now, which says nothing about the object. It was asked several times already. */
  get isRetryable(): boolean {
    return false;
  }
}

/** The store takes connections and answers nothing. Asking again at once would only make the caller wait. */
export class StoreSilent extends StoreUnavailable {
  override name = "StoreSilent";
}

/** `full`: there is no room, or a quota is used up. `read_only`: the store takes no bytes from us at all. */
export type StoreRefusal = "full" | "read_only";

/** The store answers, and refuses what is put. Reading goes on. */
export class StoreRefuses extends StoreUnavailable {
  override name = "StoreRefuses";
  constructor(
    readonly why: StoreRefusal,
    options?: ErrorOptions,
  ) {
    super(why === "full" ? "the store is full" : "the store takes no bytes", options);
  }
}

const SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/;

/** Whether every adapter can hold the key. */
export function isObjectKey(key: string): boolean {
  return key.length <= 512 && key.split("/").every((segment) => SEGMENT.test(segment));
}

/** @throws {TypeError} if not every adapter can hold the key */
export function assertObjectKey(key: string): void {
  if (!isObjectKey(key)) {
    throw new TypeError(`not an object key: ${JSON.stringify(key.slice(0, 80))}`);
  }
}
