import {
  type JoinPart,
  type JoinPlan,
  planDownload as planJoin,
  slicePlan,
} from "../../../archive/volume-join.ts";
import { type ObjectDeps, openObject, readObject } from "../../../holdings/reading/open-object.ts";
import { AppError } from "../../../http/app-error.ts";
import { parseByteRange } from "../../../http/byte-range.ts";
import { rangeNotSatisfiable } from "../../../http/http.errors.ts";
import type { RequestOrigin } from "../../../http/request-origin.ts";
import { streamOf } from "../../../http/stream-of.ts";
import type { ByteRange } from "../../../storage/object-store.ts";
import type { Caller } from "../studies.repo.ts";
import type { StoredObjectRow } from "../studies.table.ts";
import { chargeDownload, type StudyFile } from "./download-study.ts";

/** How the volumes of a study make one ZIP file. */
export async function planDownload(deps: ObjectDeps, volumes: StoredObjectRow[]): Promise<JoinPlan> {
  return await planJoin(
    volumes.map((volume) => ({
      id: volume.id,
      sizeBytes: volume.sizeBytes,
      read: (range) => readObject(deps, volume, range),
    })),
  );
}

/**
 * Answers GET or HEAD for a study's file: streamed, with Content-Length, ETag and Range, charged before the
 * first byte. HEAD is free. Whatever range is asked for, the pieces around it are checked before a byte of them
 * leaves: damage ends the body early.
 * @throws {AppError} 416, `archive.damaged` (not charged), `quota.actions`, `subscription.required`, 503 while staged on another node
 */
export async function answerDownload(
  deps: ObjectDeps,
  request: Request,
  caller: Caller,
  file: StudyFile,
  origin: RequestOrigin,
): Promise<Response> {
  const plan = await planDownload(deps, file.volumes);
  const headers = downloadHeaders(file);
  const { etag } = file;
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  const range = requestedRange(request, plan.sizeBytes, etag);
  const { offset, length } = range ?? { offset: 0, length: plan.sizeBytes };
  headers.set("Content-Length", String(length));
  if (range) headers.set("Content-Range", `bytes ${offset}-${offset + length - 1}/${plan.sizeBytes}`);
  const status = range ? 206 : 200;
  if (request.method === "HEAD") return new Response(null, { status, headers });
  const body = await openParts(deps, file.volumes, slicePlan(plan, { offset, length }));
  try {
    await chargeDownload(deps, caller, file, { isRange: range !== undefined, origin });
  } catch (error) {
    await body.cancel();
    throw error;
  }
  return new Response(body, { status, headers });
}

function downloadHeaders({ etag, fileName }: StudyFile): Headers {
  const plainName = fileName
    .normalize("NFKD")
    .replace(/[^\x20-\x7e]+/g, "")
    .replace(/["\\]/g, "");
  return new Headers({
    "Content-Type": "application/zip",
    "Content-Disposition": `attachment; filename="${plainName}"; filename*=UTF-8''${encodeURIComponent(fileName)}`,
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "private, no-store",
    "Accept-Ranges": "bytes",
    ETag: etag,
  });
}

/** The range asked for, unless `If-Range` names another file: then the whole is answered. */
function requestedRange(request: Request, sizeBytes: number, etag: string): ByteRange | undefined {
  const condition = request.headers.get("if-range");
  if (condition !== null && condition !== etag) return undefined;
  const range = parseByteRange(request.headers.get("range") ?? undefined, sizeBytes);
  if (range !== "unsatisfiable") return range;
  throw new AppError(rangeNotSatisfiable, { members: { sizeBytes } });
}

async function openParts(
  deps: ObjectDeps,
  volumes: StoredObjectRow[],
  parts: JoinPart[],
): Promise<ReadableStream<Uint8Array>> {
  const [only] = parts;
  if (!only) return new Blob([]).stream();
  const first = await openPart(deps, volumes, only);
  return parts.length === 1 ? first : streamParts(deps, volumes, first, parts.slice(1));
}

async function openPart(
  deps: ObjectDeps,
  volumes: StoredObjectRow[],
  part: JoinPart,
): Promise<ReadableStream<Uint8Array>> {
  if ("bytes" in part) return new Blob([Uint8Array.from(part.bytes)]).stream();
  const volume = volumes[part.volumeIndex];
  if (!volume) throw new RangeError("a part of no volume");
  return await openObject(deps, volume, part.range);
}

/** One part after the other, each opened when the one before it has been sent. */
function streamParts(
  deps: ObjectDeps,
  volumes: StoredObjectRow[],
  first: ReadableStream<Uint8Array>,
  others: JoinPart[],
): ReadableStream<Uint8Array> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield* first;
    for (const part of others) yield* await openPart(deps, volumes, part);
  }
  return streamOf(chunks());
}
