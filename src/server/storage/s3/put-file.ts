import { type FileHandle, open } from "node:fs/promises";
import { MIB } from "../../../shared/units.ts";
import { xmlText } from "../../runtime/xml-text.ts";
import { readAt } from "../disk/durable-file.ts";
import { contentLength } from "./range-header.ts";
import type { S3Client } from "./s3-client.ts";
import { S3Failure, S3Nonsense } from "./s3-failure.ts";
import { requiredText } from "./xml.ts";

/** Limits of the S3 interface (Amazon S3 User Guide, "Multipart upload limits"). */
const MAX_PARTS = 10_000;
const PARTS_IN_FLIGHT = 3;
const MAX_BYTES_IN_FLIGHT = 48 * MIB;

const XML_TYPE = { "content-type": "application/xml" };
const OBJECT_TYPE = { "content-type": "application/octet-stream" };

/** One PUT, for bytes that fit into memory. */
export async function putWhole(
  client: S3Client,
  key: string,
  bytes: Uint8Array<ArrayBuffer>,
  signal?: AbortSignal,
): Promise<void> {
  await client.send({ method: "PUT", key, body: bytes, headers: OBJECT_TYPE, signal });
}

/**
 * Puts the file at `path`: with one PUT if it fits into one part, else as a multipart upload with at most {@link
 * PARTS_IN_FLIGHT} parts in memory. A file that ends before its size fails and leaves nothing.
 */
export async function putFile(
  client: S3Client,
  key: string,
  path: string,
  minPartSizeBytes: number,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  await using file = await open(path, "r");
  const { size: sizeBytes } = await file.stat();
  // Awaited here: the file closes when this function returns.
  if (sizeBytes > minPartSizeBytes)
    await putInParts(client, key, { file, sizeBytes }, minPartSizeBytes, signal);
  else await putWhole(client, key, await fill(new Uint8Array(sizeBytes), file, 0), signal);
}

interface Source {
  file: FileHandle;
  sizeBytes: number;
}

async function putInParts(
  client: S3Client,
  key: string,
  source: Source,
  minPartSizeBytes: number,
  signal?: AbortSignal,
): Promise<void> {
  const partSizeBytes = partSizeFor(source.sizeBytes, minPartSizeBytes);
  const created = await client.send({
    method: "POST",
    key,
    query: { uploads: "" },
    headers: OBJECT_TYPE,
    signal,
  });
  if (!created.xml) throw new S3Nonsense("S3 answered without an upload id");
  const upload: Upload = { key, uploadId: requiredText(created.xml, "UploadId"), partSizeBytes };
  try {
    const etags = await sendParts(client, upload, source, signal);
    await complete(client, upload, etags, source.sizeBytes, signal);
  } catch (error) {
    // `sweepUnfinished` removes later what cannot be removed now; the first error is the one to report.
    await Promise.allSettled([client.send({ method: "DELETE", key, query: { uploadId: upload.uploadId } })]);
    throw error;
  }
}

interface Upload {
  key: string;
  uploadId: string;
  partSizeBytes: number;
}

/** At least `minBytes`, whole MiB above it, so that `sizeBytes` takes no more than {@link MAX_PARTS}. */
export function partSizeFor(sizeBytes: number, minBytes: number): number {
  const neededBytes = Math.ceil(sizeBytes / MAX_PARTS);
  return neededBytes <= minBytes ? minBytes : Math.ceil(neededBytes / MIB) * MIB;
}

/** The ETags of all parts, in order. The first failure stops the others. */
async function sendParts(
  client: S3Client,
  upload: Upload,
  source: Source,
  signal?: AbortSignal,
): Promise<string[]> {
  const { key, uploadId, partSizeBytes } = upload;
  const etags: string[] = new Array(Math.ceil(source.sizeBytes / partSizeBytes));
  const failure = new AbortController();
  const stop = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
  let nextIndex = 0;

  async function sendInTurn(): Promise<void> {
    const buffer = new Uint8Array(partSizeBytes);
    while (nextIndex < etags.length) {
      const index = nextIndex++;
      const offset = index * partSizeBytes;
      const body = await fill(buffer.subarray(0, source.sizeBytes - offset), source.file, offset);
      const query = { partNumber: String(index + 1), uploadId };
      const { headers } = await client.send({ method: "PUT", key, query, body, signal: stop });
      const etag = headers.get("etag");
      if (!etag) throw new S3Nonsense("S3 took a part without an ETag");
      etags[index] = etag;
    }
  }

  const atOnce = Math.max(1, Math.min(PARTS_IN_FLIGHT, Math.floor(MAX_BYTES_IN_FLIGHT / partSizeBytes)));
  const senders = Array.from({ length: atOnce }, () =>
    sendInTurn().catch((error: unknown) => {
      failure.abort(error);
      throw error;
    }),
  );
  // Waits for all of them, so that none still sends when the upload is aborted or its file closed.
  await Promise.allSettled(senders);
  signal?.throwIfAborted();
  failure.signal.throwIfAborted();
  return etags;
}

async function complete(
  client: S3Client,
  { key, uploadId }: Upload,
  etags: string[],
  sizeBytes: number,
  signal?: AbortSignal,
): Promise<void> {
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${xmlText(etag)}</ETag></Part>`,
  );
  const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
  try {
    await client.send({ method: "POST", key, query: { uploadId }, body, headers: XML_TYPE, signal });
  } catch (error) {
    // A repeated request finds the upload gone if the first one succeeded and only its answer was lost.
    if (!(error instanceof S3Failure) || error.code !== "NoSuchUpload") throw error;
    const { headers } = await client.send({ method: "HEAD", key, signal });
    if (contentLength(headers) !== sizeBytes) throw error;
  }
}

/** @throws {RangeError} if the file has become shorter since */
async function fill(bytes: Uint8Array<ArrayBuffer>, file: FileHandle, offset: number) {
  const readBytes = await readAt(file, offset, bytes);
  if (readBytes < bytes.length) throw new RangeError("file ended while it was being stored");
  return bytes;
}
