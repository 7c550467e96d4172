import { giveUp, piecesOf, type StreamedBody } from "../../../archive/pieces.ts";
import {
  type JoinPart,
  type JoinPlan,
  planDownload as planJoin,
  slicePlan,
} from "../../../archive/volume-join.ts";
import { isDamage } from "../../../holdings/checking/find-lost.ts";
import { isUnsound } from "../../../holdings/checking/integrity.ts";
import { wrongRangesOf } from "../../../holdings/checking/wrong-ranges.ts";
import type { StoredObjectRow } from "../../../holdings/objects/stored-objects.table.ts";
import {
  type ObjectDeps,
  type OpenOptions,
  openObject,
  readObject,
  streamObject,
} from "../../../holdings/reading/open-object.ts";
import { openOnRecord } from "../../../holdings/reading/open-on-record.ts";
import { answerNobody } from "../../../http/answer-nobody.ts";
import { AppError } from "../../../http/app-error.ts";
import { asksForParts, contentRange, satisfiedRange } from "../../../http/byte-range.ts";
import { archiveDamaged } from "../../../http/http.errors.ts";
import { assertNamedVersion, isKnownVersion } from "../../../http/known-version.ts";
import { streamOf } from "../../../http/stream-of.ts";
import { type Recheck, streamWhileAllowed } from "../../../http/while-allowed.ts";
import { type DamageDeps, nameDamage } from "../damaged-instances.ts";
import type { StudyFile } from "./download-study.ts";
import { joinBodies } from "./join-bodies.ts";

const ZIP_SIGNATURE_BYTES = 4;

/** Plans how the volumes of a study are joined into one ZIP file. */
export async function planDownload(deps: ObjectDeps, volumes: StoredObjectRow[]): Promise<JoinPlan> {
  return await planJoin(
    volumes.map((volume) => ({
      id: volume.id,
      sizeBytes: volume.sizeBytes,
      read: (range) => readObject(deps, volume, range),
    })),
  );
}

/** How long the bytes of a download are checked before its link is given. */
const CHECKED_AHEAD_MS = 3_000;

/**
 * Opens a download as the request for it will, so that one that can't be sent is known before a browser is told to save it. What is
 * found right here is not read again by a request within the minute.
 * @throws {AppError} `archive.damaged`, 503 while staged on another node
 */
export async function tryDownload(deps: ObjectDeps, { volumes }: StudyFile, plan: JoinPlan): Promise<void> {
  const body = await openParts(deps, volumes, plan.parts, { checkedFirstMs: CHECKED_AHEAD_MS });
  await giveUp(body);
}

/** Reads the beginning of each volume of a study. @throws {AppError} as {@link tryDownload} */
export async function tryVolumes(deps: ObjectDeps, volumes: readonly StoredObjectRow[]): Promise<void> {
  for (const volume of volumes) await readObject(deps, volume, { offset: 0, length: ZIP_SIGNATURE_BYTES });
}

/** What a download asks about its caller. */
export interface DownloadRight {
  /** Charges and records it before its first byte; further parts may be free. @throws {AppError} if the caller may not have it */
  charge(asked: { isRange: boolean }): Promise<void>;
  /** Asks again while it is sent. @throws {AppError} if the caller may not have it any more */
  recheck: Recheck;
}

/**
 * Answers GET or HEAD for a study's file, with ETag and Range. GET is charged before the first byte; HEAD is free. A file of one
 * volume on a disk is checked and then sent from there with Content-Length. Any other is streamed: each piece is checked before it
 * is sent, and damage ends the body early, as the end of the caller's access does. Damage that is known is told before the first byte.
 * @throws {AppError} 416, `archive.damaged` with what is damaged (not charged), `quota.actions`, `subscription.required`, 503 while
 *   staged on another node
 */
export async function answerDownload(
  deps: DamageDeps,
  request: Request,
  file: StudyFile,
  { charge, recheck }: DownloadRight,
): Promise<Response> {
  const plan = await toldOf(deps, file, () => planDownload(deps, file.volumes));
  const headers = downloadHeaders(file);
  const { etag } = file;
  assertNamedVersion(request.headers.get("if-match"), etag);
  if (isKnownVersion(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  const range = satisfiedRange(request, etag, plan.sizeBytes);
  const { offset, length } = range ?? { offset: 0, length: plan.sizeBytes };
  headers.set("Content-Length", String(length));
  if (range) headers.set("Content-Range", contentRange(range, plan.sizeBytes));
  const status = range ? 206 : 200;
  if (file.studies.some(isUnsound)) await toldOf(deps, file, () => assertSound(deps, file));
  if (request.method === "HEAD") return new Response(null, { status, headers });
  const parts = slicePlan(plan, { offset, length });
  const { signal } = request;
  const open = () => toldOf(deps, file, () => openParts(deps, file.volumes, parts, { signal }));
  const record = () => charge({ isRange: asksForParts(request.headers, etag) });
  const body = await openOnRecord(open, { signal, record });
  if (!body) return answerNobody();
  // The runtime would answer a range of a whole file by itself, even one that `If-Range` takes back.
  const isAnswered = range !== undefined || !request.headers.has("range");
  const sent = isAnswered ? body : streamOf(piecesOf(body), () => giveUp(body));
  return new Response(sent instanceof ReadableStream ? streamWhileAllowed(sent, recheck) : sent, {
    status,
    headers,
  });
}

/** @throws {AppError} `archive.damaged` if something is known to be wrong with the bytes of the file */
async function assertSound(deps: DamageDeps, { volumes }: StudyFile): Promise<void> {
  for (const volume of volumes)
    if ((await wrongRangesOf(deps, volume)).length > 0) throw new AppError(archiveDamaged);
}

/** The result; damage says what of the studies is damaged. */
async function toldOf<Result>(
  deps: DamageDeps,
  { studies }: StudyFile,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof AppError) || !isDamage(error)) throw error;
    const { cause } = error.options;
    throw new AppError(archiveDamaged, { cause, members: { ...(await nameDamage(deps, studies)) } });
  }
}

function downloadHeaders({ etag, fileName }: StudyFile): Headers {
  const headers = zipHeaders(fileName);
  headers.set("Accept-Ranges", "bytes");
  headers.set("ETag", etag);
  return headers;
}

/** The headers of a ZIP that a browser saves. */
export function zipHeaders(fileName: string): Headers {
  const plainName = fileName
    .normalize("NFKD")
    .replace(/[^\x20-\x7e]+/g, "")
    .replace(/["\\]/g, "");
  return new Headers({
    "Content-Type": "application/zip",
    "Content-Disposition": `attachment; filename="${plainName}"; filename*=UTF-8''${encodeURIComponent(fileName)}`,
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "private, no-store",
  });
}

/** Opens the body: the file itself for one volume, a stream for several joined ones. */
async function openParts(
  deps: ObjectDeps,
  volumes: StoredObjectRow[],
  parts: JoinPart[],
  options: Pick<OpenOptions, "signal" | "checkedFirstMs">,
): Promise<StreamedBody> {
  const [only] = parts;
  if (!only) return new Blob();
  if (parts.length > 1) return await streamParts(deps, volumes, parts);
  if ("bytes" in only) return new Blob([Uint8Array.from(only.bytes)]);
  return await openObject(deps, volumeOf(volumes, only), only.range, { ...options, trustsLastCheck: true });
}

/** Streams one part after the other. */
async function streamParts(
  deps: ObjectDeps,
  volumes: StoredObjectRow[],
  parts: JoinPart[],
): Promise<ReadableStream<Uint8Array>> {
  return await joinBodies(parts, {
    open: async (part) =>
      "bytes" in part ? part.bytes : await streamObject(deps, volumeOf(volumes, part), part.range),
    bytesOf: (part) => ("bytes" in part ? 0 : part.range.length),
  });
}

function volumeOf(volumes: StoredObjectRow[], { volumeIndex }: { volumeIndex: number }): StoredObjectRow {
  const volume = volumes[volumeIndex];
  if (!volume) throw new RangeError("a part of no volume");
  return volume;
}
