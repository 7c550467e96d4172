import { giveUp, piecesOf } from "../archive/pieces.ts";
import { contentRange } from "../http/byte-range.ts";
import { streamOf } from "../http/stream-of.ts";
import type { ByteRange } from "../storage/object-store.ts";

export interface AnsweredPdf {
  sizeBytes: number;
  fileName: string;
  isDownload: boolean;
}

/** Answers a stored PDF, which is shown in our own pane or saved, and never opened as a page of our origin. */
export function answerPdf(body: Blob | ReadableStream<Uint8Array>, document: AnsweredPdf): Response {
  return new Response(body, { headers: pdfHeaders(document) });
}

/** As {@link answerPdf}, to a request that may ask for a range; `body` is this `range`, or all of it. */
export function answerPdfInRanges(
  body: Blob | ReadableStream<Uint8Array>,
  document: AnsweredPdf & { etag: string; range: ByteRange | undefined },
  request: Request,
): Response {
  const { sizeBytes, etag, range } = document;
  const headers = pdfHeaders(document);
  headers.set("ETag", etag);
  headers.set("Accept-Ranges", "bytes");
  if (range) {
    headers.set("Content-Length", String(range.length));
    headers.set("Content-Range", contentRange(range, sizeBytes));
    return new Response(body, { status: 206, headers });
  }
  // The runtime would answer a range of a whole file by itself, even one that `If-Range` takes back.
  return new Response(request.headers.has("range") ? streamOf(piecesOf(body), () => giveUp(body)) : body, {
    headers,
  });
}

function pdfHeaders({ sizeBytes, fileName, isDownload }: AnsweredPdf): Headers {
  return new Headers({
    "Content-Type": "application/pdf",
    "Content-Length": String(sizeBytes),
    "Content-Disposition": `${isDownload ? "attachment" : "inline"}; filename*=UTF-8''${encodeURIComponent(fileName)}`,
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "private, no-store",
    "X-Content-Type-Options": "nosniff",
  });
}
