import { type ByteRange, StoreUnavailable } from "../object-store.ts";
import { assertPartAnswered, contentLength, rangeHeader } from "./range-header.ts";
import { isRetryable, isTimeout, type S3Client, type S3Stream } from "./s3-client.ts";
import { S3ConnectionLost, S3Nonsense } from "./s3-failure.ts";

/** After this much of progress a broken connection counts as the first again. */
const PROGRESS_BYTES = 1 << 20;
/** A body that comes slower than this, while somebody waits for it, has stalled. A slow line that many share is faster. */
const MIN_BYTES_PER_SECOND = 1_000;
/** A body that stalled so often without that progress is not asked for again. */
const MAX_STALLS = 2;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * Opens a body of exactly the requested bytes. If the connection breaks, it resumes by Range, a bounded number of times,
 * and then fails; it never ends short. Resolves once the store has begun to answer.
 */
export async function openResuming(
  client: S3Client,
  key: string,
  range?: ByteRange,
): Promise<ReadableStream<Uint8Array>> {
  const first = await client.openStream({ method: "GET", key, headers: range && rangeHeader(range) });
  try {
    const length = range?.length ?? contentLength(first.headers);
    const source = { client, key, offset: range?.offset ?? 0, length, etag: first.headers.get("etag") };
    if (range) assertPartAnswered(first.headers, range);
    return bodyOf(source, first);
  } catch (error) {
    first.watchdog.abort();
    throw error;
  }
}

interface Source {
  client: S3Client;
  key: string;
  offset: number;
  length: number;
  etag: string | null;
}

function bodyOf(source: Source, first: S3Stream): ReadableStream<Uint8Array> {
  const { client } = source;
  let stream: S3Stream = first;
  let reader: Reader | undefined = first.body.getReader();
  let delivered = 0;
  let failures = 0;
  let stalls = 0;
  let deliveredAtFailure = 0;
  /** How much longer this stream's pieces may be waited for. */
  let patienceMs = client.timeoutMs;

  async function readPiece(): Promise<Uint8Array> {
    if (!reader) {
      stream = await resume(source, delivered);
      reader = stream.body.getReader();
      patienceMs = client.timeoutMs;
    }
    const askedAt = performance.now();
    const { done, value } = await stream.watchdog.guard(patienceMs, reader.read());
    if (done) throw new S3ConnectionLost("S3 answer ended early");
    const leftMs = patienceMs - (performance.now() - askedAt) + (value.length * 1000) / MIN_BYTES_PER_SECOND;
    patienceMs = Math.min(leftMs, client.timeoutMs);
    return value;
  }

  /** Lets go of the broken connection and waits, or gives up. */
  async function recover(error: unknown): Promise<void> {
    stream.watchdog.abort();
    reader = undefined;
    if (delivered - deliveredAtFailure >= PROGRESS_BYTES) failures = stalls = 0;
    deliveredAtFailure = delivered;
    // An error that is not the store's answer comes from the network, whatever the runtime throws for it.
    const lost =
      error instanceof StoreUnavailable
        ? error
        : new S3ConnectionLost("S3 connection lost", { cause: error });
    if (isTimeout(error)) stalls++;
    if (!isRetryable(lost) || failures >= client.retries || stalls >= MAX_STALLS) throw lost;
    await client.pause(failures++, lost);
  }

  async function nextPiece(): Promise<Uint8Array> {
    for (;;) {
      try {
        return await readPiece();
      } catch (error) {
        await recover(error);
      }
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (delivered < source.length) {
          const piece = await nextPiece();
          delivered += piece.length;
          if (delivered > source.length) {
            stream.watchdog.abort();
            throw new S3Nonsense("S3 answered more than was asked for");
          }
          controller.enqueue(piece);
        }
        if (delivered === source.length) controller.close();
      },
      cancel() {
        stream.watchdog.abort();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Goes on after `delivered` bytes, with the same object or not at all. */
async function resume({ client, key, offset, length, etag }: Source, delivered: number): Promise<S3Stream> {
  const rest = { offset: offset + delivered, length: length - delivered };
  const stream = await client.openStream({ method: "GET", key, headers: rangeHeader(rest) });
  try {
    assertPartAnswered(stream.headers, rest);
    if (stream.headers.get("etag") !== etag)
      throw new S3Nonsense("object was replaced while it was being read");
  } catch (error) {
    stream.watchdog.abort();
    throw error;
  }
  return stream;
}
