import {
  assertObjectKey,
  type ByteRange,
  ObjectNotFound,
  type ObjectStore,
  type OwnKeys,
  StoreUnavailable,
} from "../object-store.ts";
import { assertByteRange, folderOfPrefix } from "../preconditions.ts";
import { listObjects, listUploads, listVersions, type UnfinishedUpload } from "./listing.ts";
import { putFile, putWhole } from "./put-file.ts";
import { contentLength } from "./range-header.ts";
import { createRefusedPuts } from "./refused-puts.ts";
import { openResuming } from "./resuming-body.ts";
import { createS3Client, type S3Client, type S3ClientOptions } from "./s3-client.ts";
import { S3Failure, S3Nonsense } from "./s3-failure.ts";

export interface S3StoreOptions extends S3ClientOptions {
  /** Larger files go up in parts of at least this; S3 takes none below 5 MiB but the last. */
  partSizeBytes?: number;
  /** Entries a listing asks for at once. */
  pageSize?: number;
}

const MAX_DELETE_ROUNDS = 100;
const CHECK_TIMEOUT_MS = 3000;
const NOT_FOUND = 404;
/** The pause before an absent object is looked for again is that of this retry. */
const SECOND_LOOK = 2;
/** Unfinished uploads that are looked up in our records at once. */
const ABORTED_AT_ONCE = 500;

/**
 * Objects in a bucket of any S3-compatible store. Sends no checksum headers (Backblaze B2 rejects them). Deletes version
 * by version, because in a bucket that keeps versions a plain delete only hides the object.
 *
 * `sweepUnfinished` and `endUnfinished` find nothing if the store can't list uploads.
 */
export function createS3Store(options: S3StoreOptions): ObjectStore {
  const { partSizeBytes = 8 << 20, pageSize = 1000 } = options;
  const client = createS3Client(options);
  // A health check needs its answer now, not after the last retry.
  const checker = createS3Client({ ...options, retries: 0, timeoutMs: CHECK_TIMEOUT_MS });

  const puts = createRefusedPuts();

  return {
    kind: "s3",

    async putFile(key, path, { signal } = {}) {
      assertObjectKey(key);
      await puts.during(() => putFile(client, key, path, partSizeBytes, signal));
    },

    async putBytes(key, bytes) {
      assertObjectKey(key);
      await puts.during(() => putWhole(client, key, new Uint8Array(bytes)));
    },

    async stat(key) {
      assertObjectKey(key);
      return statObject(client, key);
    },

    async read(key, range) {
      assertObjectKey(key);
      assertByteRange(range);
      if (range.length === 0) {
        await assertEmptyRange(client, key, range);
        return new Uint8Array();
      }
      return naming(client, key, () => client.readRange(key, range));
    },

    async open(key, range) {
      assertObjectKey(key);
      if (range) assertByteRange(range);
      if (range?.length === 0) {
        await assertEmptyRange(client, key, range);
        return new Blob();
      }
      return naming(client, key, () => openResuming(client, key, range));
    },

    async delete(key) {
      assertObjectKey(key);
      await deleteObject(client, key, pageSize);
    },

    async *list(prefix) {
      folderOfPrefix(prefix);
      yield* listObjects(client, prefix, pageSize);
    },

    async sweepUnfinished(olderThan, ours) {
      return abortUploads(client, { olderThan, ours, prefix: "", pageSize });
    },

    async endUnfinished(prefix) {
      folderOfPrefix(prefix);
      return abortUploads(client, { prefix, pageSize });
    },

    async check() {
      try {
        await checker.send({ method: "HEAD" });
      } catch (error) {
        throw (await reasonOfRefusal(checker, error)) ?? error;
      }
    },

    refusal: () => puts.current(),
  };
}

/** Why the store refuses us: an answer to HEAD does not say it, one to GET does. */
async function reasonOfRefusal(client: S3Client, error: unknown): Promise<S3Failure | undefined> {
  if (!(error instanceof S3Failure) || error.isRetryable) return undefined;
  try {
    await client.send({ method: "GET", query: { "list-type": "2", "max-keys": "1" } });
  } catch (told) {
    if (told instanceof S3Failure) return told;
  }
  return undefined;
}

/** Reads an object. It is absent once the store says so again after a pause: what is called missing alarms people. */
async function naming<T>(client: S3Client, key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  await client.pause(SECOND_LOOK);
  try {
    return await work();
  } catch (error) {
    throw isAbsent(error) ? new ObjectNotFound(key) : error;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof S3Failure && error.code === "NoSuchKey";
}

async function statObject(client: S3Client, key: string): Promise<{ sizeBytes: number } | undefined> {
  try {
    const { headers } = await client.send({ method: "HEAD", key });
    return { sizeBytes: contentLength(headers) };
  } catch (error) {
    if (!(error instanceof S3Failure)) throw error;
    return statByReading(client, key);
  }
}

/** An answer to HEAD says that it failed, never why: a missing object and a missing bucket look alike. */
async function statByReading(client: S3Client, key: string): Promise<{ sizeBytes: number } | undefined> {
  try {
    const { headers, watchdog } = await client.openStream({
      method: "GET",
      key,
      headers: { range: "bytes=0-0" },
    });
    watchdog.abort();
    const total = /^bytes 0-0\/(\d{1,15})$/.exec(headers.get("content-range") ?? "")?.[1];
    if (!total) throw new S3Nonsense("S3 answered without a length");
    return { sizeBytes: Number(total) };
  } catch (error) {
    if (error instanceof S3Failure && error.code === "NoSuchKey") return undefined;
    if (error instanceof S3Failure && error.code === "InvalidRange") return { sizeBytes: 0 };
    throw error;
  }
}

/** S3 can't read an empty range, so this checks only that it lies within the object. */
async function assertEmptyRange(client: S3Client, key: string, { offset }: ByteRange): Promise<void> {
  const object = await statObject(client, key);
  if (!object) throw new ObjectNotFound(key);
  if (offset > object.sizeBytes) throw new StoreUnavailable("S3: range past the end of the object");
}

async function deleteObject(client: S3Client, key: string, pageSize: number): Promise<void> {
  for (let round = 0; round < MAX_DELETE_ROUNDS; round++) {
    const versionIds = await listVersions(client, key, pageSize);
    if (versionIds?.length === 0 && (round > 0 || !(await removeUnlisted(client, key)))) return;
    for (const versionId of versionIds ?? []) {
      await remove(client, key, { versionId });
    }
    if (!versionIds) {
      await remove(client, key);
      return;
    }
  }
  throw new StoreUnavailable("S3: object still has versions");
}

/** Removes the object that a store which lists late does not name yet. Returns whether there was one. */
async function removeUnlisted(client: S3Client, key: string): Promise<boolean> {
  try {
    const { headers } = await client.send({ method: "HEAD", key });
    const versionId = headers.get("x-amz-version-id");
    await remove(client, key, versionId === null ? undefined : { versionId });
    return true;
  } catch (error) {
    if (error instanceof S3Failure && error.status === NOT_FOUND) return false;
    throw error;
  }
}

const GONE = new Set(["NoSuchKey", "NoSuchVersion", "NoSuchUpload"]);

/** A repeated request, or another node, may find it done. */
async function remove(client: S3Client, key: string, query?: Record<string, string>): Promise<void> {
  try {
    await client.send({ method: "DELETE", key, query });
  } catch (error) {
    if (!(error instanceof S3Failure) || !GONE.has(error.code ?? "")) throw error;
  }
}

interface Unfinished {
  prefix: string;
  pageSize: number;
  olderThan?: Date;
  ours?: OwnKeys;
}

async function abortUploads(client: S3Client, which: Unfinished): Promise<number> {
  const { prefix, pageSize, olderThan, ours } = which;
  let count = 0;
  let found: UnfinishedUpload[] = [];
  const abortFound = async () => {
    const own = await ours?.(found.map(({ key }) => key));
    for (const { key, uploadId } of found) {
      if (own && !own.has(key)) continue;
      await remove(client, key, { uploadId });
      count++;
    }
    found = [];
  };
  try {
    for await (const upload of listUploads(client, prefix, pageSize)) {
      if (olderThan && !(upload.begunAt < olderThan)) continue;
      found.push(upload);
      if (found.length === ABORTED_AT_ONCE) await abortFound();
    }
    if (found.length > 0) await abortFound();
  } catch (error) {
    if (!(error instanceof S3Failure) || !error.isUnsupported) throw error;
  }
  return count;
}
