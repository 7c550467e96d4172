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

/** Streams parts one after the other; the next is asked for only when the client has taken the last. */
export function multipartRelated(type: string, parts: AsyncIterable<Part>): MultipartBody {
  const boundary = `part-${crypto.randomUUID()}`;
  return {
    contentType: `multipart/related; type="${type}"; boundary=${boundary}`,
    body: streamOf(writeParts(boundary, parts)),
  };
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
