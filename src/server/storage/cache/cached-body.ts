import type { FileHandle } from "node:fs/promises";
import { openFile } from "../disk/durable-file.ts";
import { type ByteRange, StoreUnavailable } from "../object-store.ts";
import type { CachedFile } from "./cache-files.ts";

const CHUNK_BYTES = 256 << 10;

/** Gives the bytes if the copy can't be opened or is not whole. */
export type Fallback = () => Promise<Blob | ReadableStream<Uint8Array>>;

/**
 * Streams a range of a cached copy. The first read opens it, so an unread body holds no file open. It stays open, so
 * eviction can't cut the stream. If the copy is gone by then, the fallback is streamed.
 */
export function cachedBody(
  file: CachedFile,
  range: ByteRange,
  fallback: Fallback,
): ReadableStream<Uint8Array> {
  let pieces: AsyncGenerator<Uint8Array> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pieces ??= readPieces(file, range, fallback);
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces?.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

async function* readPieces(
  file: CachedFile,
  range: ByteRange,
  fallback: Fallback,
): AsyncGenerator<Uint8Array, void, undefined> {
  await using handle = await openCached(file);
  if (handle) {
    yield* readFrom(handle, range);
    return;
  }
  const body = await fallback();
  yield* body instanceof Blob ? body.stream() : body;
}

/** `undefined` if the copy is gone or no longer has its size. */
export async function openCached({ path, sizeBytes }: CachedFile): Promise<FileHandle | undefined> {
  const handle = await openFile(path);
  if (!handle || (await handle.stat()).size === sizeBytes) return handle;
  await handle.close();
  return undefined;
}

async function* readFrom(handle: FileHandle, { offset, length }: ByteRange): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < length; ) {
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, length - sent));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, offset + sent);
    if (bytesRead === 0) throw new StoreUnavailable("cached copy ends early");
    sent += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}
