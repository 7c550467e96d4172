import { streamOf } from "../../../http/stream-of.ts";
import type { LentBytes } from "../../../runtime/lent-bytes.ts";

/** One part of a `multipart/related` body (RFC 2387). */
export interface Part {
  contentType: string;
  /** Where it is by itself. */
  location?: string | undefined;
  /** As in the header of that name, for a body that is a range of something. */
  contentRange?: string | undefined;
  body: Uint8Array | Blob | ReadableStream<Uint8Array>;
}

export type PartHead = Omit<Part, "body">;

export interface MultipartBody {
  contentType: string;
  body: ReadableStream<Uint8Array>;
}

const encoder = new TextEncoder();

/** Streams parts one after the other; reads the next part only when the client has taken the one before. */
export function multipartRelated(type: string, parts: AsyncIterable<Part>): MultipartBody {
  const frame = framedParts(type);
  const ordered = parts[Symbol.asyncIterator]();
  const pieces = writeParts(frame, { [Symbol.asyncIterator]: () => ordered });
  const end = pieces.return.bind(pieces);
  // Of an answer that nobody reads, as that of HEAD, nothing began, and a generator that never began ends nothing.
  pieces.return = async (value) => {
    const ended = await end(value);
    await ordered.return?.();
    return ended;
  };
  return { contentType: frame.contentType, body: streamOf(pieces) };
}

/** The text around parts that are written one after the other. */
export interface PartFrame {
  contentType: string;
  /** Returns what stands before the next part. */
  startPart(head: PartHead): string;
  /** Returns what stands behind the last part. */
  end(): string;
}

/** For a writer that puts the text around its parts itself. */
export function framedParts(type: string): PartFrame {
  const boundary = newBoundary();
  let separator = "";
  return {
    contentType: relatedType(type, boundary),
    startPart: (head) => {
      const start = separator + headOf(boundary, head);
      separator = "\r\n";
      return start;
    },
    end: () => `${separator}--${boundary}--\r\n`,
  };
}

/** In memory, perhaps only for a while, or as a stream. */
export type OnePart = LentBytes | Blob | ReadableStream<Uint8Array>;

/** A body of one part; a part in memory is sent with one write. */
export function onePartRelated(type: string, head: PartHead, part: OnePart): MultipartBody {
  if (!isInMemory(part)) return multipartRelated(type, only({ ...head, body: part }));
  const boundary = newBoundary();
  const start = encoder.encode(headOf(boundary, head));
  const end = encoder.encode(`\r\n--${boundary}--\r\n`);
  return { contentType: relatedType(type, boundary), body: streamAtOnce(part, part.between(start, end)) };
}

/** The part as the whole body, as in {@link onePartRelated}. */
export function bareBody(
  contentType: string,
  part: OnePart,
): { contentType: string; body: Blob | MultipartBody["body"] } {
  return { contentType, body: isInMemory(part) ? streamAtOnce(part, part.bytes) : part };
}

export function isInMemory(part: OnePart): part is LentBytes {
  return "bytes" in part && part.bytes instanceof Uint8Array;
}

/**
 * Uses Bun's direct stream: headers and bytes go to the socket in one call and without a copy. What the socket does not take, `write`
 * copies, so the bytes may be released after it.
 */
function streamAtOnce(lent: LentBytes, bytes: Uint8Array): ReadableStream<Uint8Array> {
  const source: Bun.DirectUnderlyingSource<Uint8Array> = {
    type: "direct",
    async pull(controller) {
      try {
        controller.write(bytes);
        await controller.end();
      } finally {
        lent.release();
      }
    },
  };
  // The DOM's types, which the client needs, do not include direct streams.
  return new ReadableStream(source as unknown as UnderlyingDefaultSource<Uint8Array>);
}

async function* only(part: Part): AsyncGenerator<Part> {
  yield part;
}

function newBoundary(): string {
  return `part-${crypto.randomUUID()}`;
}

function relatedType(type: string, boundary: string): string {
  return `multipart/related; type="${type}"; boundary=${boundary}`;
}

function headOf(boundary: string, { contentType, location, contentRange }: PartHead): string {
  const place = location === undefined ? "" : `\r\nContent-Location: ${location}`;
  const range = contentRange === undefined ? "" : `\r\nContent-Range: ${contentRange}`;
  return `--${boundary}\r\nContent-Type: ${contentType}${place}${range}\r\n\r\n`;
}

async function* writeParts(frame: PartFrame, parts: AsyncIterable<Part>): AsyncGenerator<Uint8Array> {
  for await (const { body, ...part } of parts) {
    yield encoder.encode(frame.startPart(part));
    if (body instanceof Uint8Array) yield body;
    else yield* body instanceof Blob ? body.stream() : body;
  }
  yield encoder.encode(frame.end());
}
