import { uploadInterrupted } from "../../holdings/uploads/uploads.errors.ts";
import { AppError } from "../../http/app-error.ts";
import { assertUncoded } from "../../http/body-coding.ts";
import { unsupportedMediaType } from "../../http/http.errors.ts";
import { boundaryOf, MultipartBroken, readParts } from "../../http/multipart-reader.ts";
import { type Receiving, receiveBytes } from "../ingest/receive-upload.ts";
import type { SpoolRoom } from "../ingest/spool-writer.ts";
import { tooManyInstances } from "./exchange.errors.ts";
import { InstanceSpool } from "./instance-spool.ts";

/** The most instances of one request; a client sends further ones in another. */
export const MAX_INSTANCES = 20_000;

const DICOM = "application/dicom";

export interface ReceivedInstances {
  sizeBytes: number;
  /** Names of the entries, in the order of the parts. */
  names: string[];
}

/**
 * Checks that the request brings instances as PS3.18 §10.5 has them: parts of `multipart/related`, or one alone, without a content
 * coding.
 * @throws {AppError} 415
 */
export function assertBringsInstances(request: Request): void {
  assertUncoded(request.headers);
  formatOf(request.headers.get("content-type") ?? "");
}

/**
 * Streams the instances of a request into a new ZIP at `path`, in constant memory.
 * @throws {AppError} `upload.too_large`, `upload.interrupted`, `store.too_many`, 415, and what `room` says
 */
export async function receiveInstances(
  request: Request,
  path: string,
  { maxBytes, room }: { maxBytes: number; room: SpoolRoom },
  receiving: Receiving,
): Promise<ReceivedInstances> {
  const format = formatOf(request.headers.get("content-type") ?? "");
  await using spool = await InstanceSpool.open(path, room, maxBytes);
  if (!request.body) return { sizeBytes: await spool.finish(), names: [] };
  const bytes = receiveBytes(request.body, receiving);
  try {
    if (format === "single") await spool.add(bytes);
    else {
      const parts = readParts(bytes, format.boundary, MAX_INSTANCES);
      for await (const { content } of parts) await spool.add(content);
    }
  } catch (cause) {
    if (!(cause instanceof MultipartBroken)) throw cause;
    if (cause.hasTooManyParts)
      throw new AppError(tooManyInstances, { cause, values: { maximum: MAX_INSTANCES } });
    throw new AppError(uploadInterrupted, { cause });
  }
  return { sizeBytes: await spool.finish(), names: spool.names };
}

function formatOf(contentType: string): "single" | { boundary: string } {
  const [type = ""] = contentType.split(";");
  if (type.trim().toLowerCase() === DICOM) return "single";
  const boundary = boundaryOf(contentType, "related");
  const root = /;\s*type=(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType);
  const rootType = (root?.[1] ?? root?.[2] ?? DICOM).trim().toLowerCase();
  if (boundary === undefined || rootType !== DICOM) throw new AppError(unsupportedMediaType);
  return { boundary };
}
