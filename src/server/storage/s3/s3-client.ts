import { AwsV4Signer } from "aws4fetch";
import { readUpTo } from "../../runtime/read-up-to.ts";
import { sleep } from "../../runtime/sleep.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";
import { type ByteRange, StoreSilent, StoreUnavailable } from "../object-store.ts";
import { assertPartAnswered, rangeHeader } from "./range-header.ts";
import { S3ConnectionLost, S3Failure, S3Nonsense } from "./s3-failure.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";
import { childText, parseXml, type XmlElement } from "./xml.ts";

export interface S3ClientOptions {
  /** Such as `https://s3.us-east-005.backblazeb2.com`; buckets are addressed in the path. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** How long the store may stay silent. Sending or reading a body gets more, by its size. */
  timeoutMs?: number;
  /** A body that goes slower than this has stalled: three parts at once then need a line of 1.2 Mbit/s. */
  minBytesPerSecond?: number;
  /** How often a request that may succeed later is sent again. */
  retries?: number;
  /** The longest wait before the first retry; doubles with each retry. */
  retryDelayMs?: number;
}

export interface S3Request {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Without a key, the request is to the bucket itself. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer> | string;
  signal?: AbortSignal;
}

/** An answer whose body is still to come; every wait for a piece of it goes through `watchdog`. */
export interface S3Stream {
  headers: Headers;
  body: ReadableStream<Uint8Array>;
  watchdog: Watchdog;
}

export interface S3Client {
  readonly retries: number;
  readonly timeoutMs: number;
  /** Sends and reads the whole answer; `xml` if it has a body. */
  send(request: S3Request): Promise<{ headers: Headers; xml?: XmlElement }>;
  /** Reads one range of an object, no more and no less. */
  readRange(key: string, range: ByteRange): Promise<Uint8Array>;
  /** Sends and hands over the answer once its status is good. Read the body to its end or cancel it. */
  openStream(request: S3Request): Promise<S3Stream>;
  /** Waits before a retry, counted from 0. */
  pause(retry: number, failure?: unknown, signal?: AbortSignal): Promise<void>;
}

interface Patience {
  /** How much faster than `minBytesPerSecond` a body has to go. */
  faster: number;
  /** How often the store may say nothing. */
  maxSilences: number;
}

const MAX_ANSWER_BYTES = 16 << 20;
const MAX_DELAY_MS = 20_000;
/** A store that says nothing so often is gone. Whoever waits is told so, before their own connection is given up. */
const MAX_SILENCES = 2;
/** A store that was silent is asked whether it is there with so much less patience. */
const ASKED_FASTER = 3;
/** What is put into a store that took nothing has to go so much faster. */
const PUT_FASTER = 10;
/** After a silence, which may have been one of the connections alone, new ones are made for so long: the old ones are closed by then. */
const NEW_CONNECTIONS_MS = 5 * 60_000;

/** One bucket of an S3-compatible store: requests are signed, timed and, if that is safe, retried. */
export function createS3Client(options: S3ClientOptions): S3Client {
  const { endpoint, bucket, accessKeyId, secretAccessKey, region } = options;
  const { timeoutMs = 30_000, retries = 6, retryDelayMs = 200, minBytesPerSecond = 50_000 } = options;
  const bucketUrl = `${endpoint.replace(/\/+$/, "")}/${bucket}`;
  const signingKeys = new Map<string, ArrayBuffer>();
  /** Whether the store left a request unanswered, and answered none since. */
  let isSilent = false;
  /** Whether the store left something that was put unanswered, and has taken nothing since. */
  let takesNothing = false;
  /** Whether something is put that finds out whether it takes anything again. */
  let isTried = false;
  /** When connections are used again that are open, by the clock of `performance`. */
  let reusesFrom = 0;

  async function dispatch(
    request: S3Request,
    watchdog: Watchdog,
    keepalive = performance.now() >= reusesFrom,
  ): Promise<Response> {
    const { method, headers, body } = request;
    const signed = await new AwsV4Signer({
      method,
      headers,
      accessKeyId,
      secretAccessKey,
      region,
      service: "s3",
      url: urlOf(bucketUrl, request),
      cache: signingKeys,
    }).sign();
    // A redirect would carry the signature to a host that is not configured.
    const init = {
      method,
      headers: signed.headers,
      body,
      redirect: "manual",
      keepalive,
      signal: watchdog.signal,
    } as const;
    return fetch(signed.url, init);
  }

  function noteSilence(): void {
    isSilent = true;
    reusesFrom = performance.now() + NEW_CONNECTIONS_MS;
  }

  /** Asks over a new connection whether the store is there. It is, whatever it answers. @throws {StoreSilent} */
  async function assertThere(signal: AbortSignal, patienceMs: number): Promise<void> {
    const watchdog = createWatchdog(signal);
    try {
      await watchdog.guard(patienceMs, dispatch({ method: "HEAD" }, watchdog, false));
      isSilent = false;
    } catch (cause) {
      if (!isTimeout(cause)) throw cause;
      noteSilence();
      throw new StoreSilent("S3 is silent", { cause });
    }
  }

  /** Waits for an answer. While a long body is sent, which may fill the line, the store is asked now and then whether it is there. */
  async function answerTo(request: S3Request, watchdog: Watchdog, { faster }: Patience): Promise<Response> {
    if (isSilent) await assertThere(watchdog.signal, timeoutMs / ASKED_FASTER);
    const limitMs = timeoutMs + (lengthOf(request.body) * 1000) / (minBytesPerSecond * faster);
    const answer = watchdog.guard(limitMs, dispatch(request, watchdog));
    for (let waitedMs = timeoutMs; waitedMs < limitMs; waitedMs += timeoutMs) {
      if (await withTimeout(answer, timeoutMs)) break;
      await Promise.race([answer, assertThere(watchdog.signal, timeoutMs)]);
    }
    const response = await answer;
    isSilent = false;
    if (request.method === "PUT") takesNothing = false;
    return response;
  }

  /**
   * How patient a request is. A store that took nothing in time, though it was there, may take nothing for hours: until it does, one thing at
   * a time is put with the time that a slow line needs, and all else has to go faster.
   */
  function patienceFor({ method }: S3Request): Patience & Disposable {
    if (method !== "PUT" || !takesNothing)
      return { faster: 1, maxSilences: MAX_SILENCES, [Symbol.dispose]() {} };
    if (isTried) return { faster: PUT_FASTER, maxSilences: 1, [Symbol.dispose]() {} };
    isTried = true;
    return {
      faster: 1,
      maxSilences: 1,
      [Symbol.dispose]() {
        isTried = false;
      },
    };
  }

  /** Runs one exchange. Network failures become {@link S3ConnectionLost}; an abort by the caller stays unchanged. */
  async function attempt<T>(
    request: S3Request,
    patience: Patience,
    take: (response: Response, watchdog: Watchdog) => Promise<T>,
  ): Promise<T> {
    const watchdog = createWatchdog(request.signal);
    try {
      const response = await answerTo(request, watchdog, patience);
      if (!response.ok) throw await failureOf(response, watchdog);
      return await take(response, watchdog);
    } catch (error) {
      watchdog.abort();
      request.signal?.throwIfAborted();
      if (isTimeout(error)) {
        noteSilence();
        takesNothing ||= request.method === "PUT";
      }
      throw error instanceof StoreUnavailable
        ? error
        : new S3ConnectionLost("S3 connection lost", { cause: error });
    }
  }

  async function failureOf(response: Response, watchdog: Watchdog): Promise<S3Failure> {
    const bytes = await watchdog.guard(timeoutMs, readBody(response, MAX_ANSWER_BYTES));
    return failureFrom(response, xmlIn(bytes, { isRequired: response.ok }));
  }

  async function pause(retry: number, failure?: unknown, signal?: AbortSignal): Promise<void> {
    const askedMs = failure instanceof S3Failure ? failure.retryAfterMs : 0;
    const jitteredMs = Math.random() * retryDelayMs * 2 ** retry;
    await sleep(Math.min(Math.max(askedMs, jitteredMs), MAX_DELAY_MS), signal);
  }

  async function repeat<T>(
    request: S3Request,
    take: (response: Response, watchdog: Watchdog) => Promise<T>,
  ): Promise<T> {
    using patience = patienceFor(request);
    let silences = 0;
    for (let retry = 0; ; retry++) {
      try {
        return await attempt(request, patience, take);
      } catch (error) {
        if (retry >= retries || !isRetryable(error)) throw error;
        if (isTimeout(causeOf(error)) && ++silences >= patience.maxSilences) throw error;
        await pause(retry, error, request.signal);
      }
    }
  }

  return {
    retries,
    timeoutMs,
    pause,

    send: (request) =>
      repeat(request, async (response, watchdog) => {
        const bytes = await watchdog.guard(timeoutMs, readBody(response, MAX_ANSWER_BYTES));
        const xml = xmlIn(bytes, { isRequired: true });
        // CompleteMultipartUpload answers 200 before it knows how it ends.
        if (xml?.name === "Error") throw failureFrom(response, xml);
        return { headers: response.headers, xml };
      }),

    readRange(key, range) {
      const request: S3Request = { method: "GET", key, headers: rangeHeader(range) };
      const limitMs = timeoutMs + (range.length * 1000) / minBytesPerSecond;
      return repeat(request, async (response, watchdog) => {
        assertPartAnswered(response.headers, range);
        const bytes = await watchdog.guard(limitMs, readBody(response, range.length));
        if (bytes.length < range.length) throw new S3ConnectionLost("S3 answer ended early");
        return bytes;
      });
    },

    openStream: (request) =>
      repeat(request, async (response, watchdog) => {
        if (!response.body) throw new S3Nonsense("S3 answered without a body");
        return { headers: response.headers, body: response.body, watchdog };
      }),
  };
}

export function isRetryable(error: unknown): boolean {
  return error instanceof StoreUnavailable && error.isRetryable;
}

export function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

function urlOf(bucketUrl: string, { key, query }: S3Request): string {
  const pairs = Object.entries(query ?? {}).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${bucketUrl}${key ? `/${key}` : ""}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`;
}

function lengthOf(body: S3Request["body"]): number {
  return body?.length ?? 0;
}

/** @throws {S3Nonsense} if the body is longer than `maxBytes` */
async function readBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  const bytes = await readUpTo(response.body ?? [], maxBytes);
  if (!bytes) throw new S3Nonsense("S3 answered more than was asked for");
  return bytes;
}

/** A bad status may come with a proxy's HTML, which says nothing; a good one must be XML. */
function xmlIn(bytes: Uint8Array, { isRequired }: { isRequired: boolean }): XmlElement | undefined {
  if (bytes.length === 0) return undefined;
  try {
    return parseXml(new TextDecoder().decode(bytes));
  } catch (error) {
    if (isRequired || !(error instanceof S3Nonsense)) throw error;
    return undefined;
  }
}

function failureFrom(response: Response, xml: XmlElement | undefined): S3Failure {
  const code = xml?.name === "Error" ? childText(xml, "Code") : undefined;
  const retryAfterS = Number(response.headers.get("retry-after"));
  return new S3Failure(response.status, code, retryAfterS > 0 ? retryAfterS * 1000 : 0);
}
