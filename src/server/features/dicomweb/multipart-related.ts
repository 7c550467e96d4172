import { streamOf } from "../../http/stream-of.ts";

/** One part of a `multipart/related` body (RFC 2387). */
export interface Part {
  contentType: string;
  body: Uint8Array | Blob | ReadableStream<Uint8Array>;
}

export interface MultipartBody {
  contentType: string;
  body: ReadableStream<Uint8Array>;
}

const encoder = new TextEncoder();

/** Streams parts one after the other; reads the next part only when the client has taken the one before. */
export function multipartRelated(type: string, parts: AsyncIterable<Part>): MultipartBody {
  const boundary = newBoundary();
  return {
    contentType: relatedType(type, boundary),
    body: streamOf(writeParts(boundary, parts)),
  };
}

/** A body of one part; a part in memory is sent to the socket in a single pull. */
export function onePartRelated(type: string, { contentType, body }: Part): MultipartBody {
  if (!(body instanceof Uint8Array)) return multipartRelated(type, only({ contentType, body }));
  const boundary = newBoundary();
  const head = encoder.encode(`--${boundary}\r\nContent-Type: ${contentType}\r\n\r\n`);
  const end = encoder.encode(`\r\n--${boundary}--\r\n`);
  return { contentType: relatedType(type, boundary), body: streamAtOnce([head, body, end]) };
}

/** Uses Bun's direct stream, which needs no queue and no joined copy between the pieces and the socket. */
function streamAtOnce(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const source: Bun.DirectUnderlyingSource<Uint8Array> = {
    type: "direct",
    async pull(controller) {
      for (const piece of pieces) controller.write(piece);
      await controller.end();
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

async function* writeParts(boundary: string, parts: AsyncIterable<Part>): AsyncGenerator<Uint8Array> {
  let separator = "";
  for await (const { contentType, body } of parts) {
    yield encoder.encode(`${separator}--${boundary}\r\nContent-Type: ${contentType}\r\n\r\n`);
    if (body instanceof Uint8Array) yield body;
    else yield* body instanceof Blob ? body.stream() : body;
    separator = "\r\n";
  }
  yield encoder.encode(`${separator}--${boundary}--\r\n`);
}
