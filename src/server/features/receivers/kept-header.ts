import { createReadStream } from "node:fs";
import { hasPreamble, META_START } from "../../../shared/dicom/instance-start.ts";
import { ContentHash } from "../../archive/content-hash.ts";
import { crc32WithPrefix } from "../../archive/crc32-prefix.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import { piecesOf } from "../../archive/pieces.ts";
import type { Deps } from "../../deps.ts";
import { readBeginning } from "../../dicom/find-data-set.ts";
import { AppError } from "../../http/app-error.ts";
import { archiveDamaged } from "../../http/http.errors.ts";
import { FairTurns } from "../../runtime/fair-turns.ts";
import { findInstance } from "../dicomweb/catalogue/find-instance.ts";
import { findManifestObject } from "../dicomweb/dicomweb.repo.ts";
import type { WholeFile } from "../ingest/resumable/growing-upload.ts";
import { DEFAULT_INGEST_LIMITS } from "../ingest/worker/ingest-limits.ts";
import { listOwnStudies } from "../studies/studies.repo.ts";
import type { ArrivedInstance } from "./worker/dimse-messages.ts";

/** File Meta Information that is longer is not compared. */
const MAX_HEADER_BYTES = 16 * 1024;
/** The tag and the length of the element behind it, which tell that it is none of File Meta Information. */
const NEXT_BYTES = 8;
/** Preamble, "DICM", and the first element, which says how long the others are. */
const FIRST_BYTES = META_START + 12;
/** The list of a series may take 48 MB and a tenth of a second of the event loop, if others pushed it out of the cache. */
const lists = new FairTurns({ turns: 2, turnsPerAccount: 1 });

/**
 * The file of an arrived instance as the account keeps it already, if both have one data set: what a sender sends has no File Meta
 * Information, so that another one before it makes no other instance of it (PS3.10 §7.1). Any other file as it arrived; undefined
 * if there are as many contents under its UID as any upload may bring. Both files are read only where size and CRC-32 are equal.
 */
export async function withKeptHeader(
  deps: Pick<Deps, "db" | "series" | "log">,
  accountId: string,
  arrived: ArrivedInstance & { path: string },
): Promise<WholeFile | undefined> {
  const { path, sizeBytes } = arrived;
  const asArrived = { path, sizeBytes, crc32: arrived.crc32 };
  const kept = await listKept(deps, accountId, arrived);
  if (kept.length === 0) return asArrived;
  const own = await ownHeader(path);
  const restBytes = sizeBytes - own.length;
  for (const one of kept) {
    const header = await readHeader(deps, one, one.sizeBytes - restBytes, arrived.transferSyntaxUID);
    // With the same header nothing is to be exchanged.
    if (!header || Buffer.compare(header, own) === 0) continue;
    const sum = crc32WithPrefix(arrived.crc32, { before: own, after: header }, restBytes);
    if (sum !== one.crc32 || !(await hasContent(one, header, { path, start: own.length }))) continue;
    if (!(await isReadOrNoted(deps, one))) continue;
    const { length } = own;
    return { path, sizeBytes: one.sizeBytes, crc32: sum, header: { bytes: header, replacesBytes: length } };
  }
  const isKnown = kept.some((one) => one.sizeBytes === sizeBytes && one.crc32 === arrived.crc32);
  return isKnown || kept.length <= DEFAULT_INGEST_LIMITS.maxVariants ? asArrived : undefined;
}

/** What the account keeps under the UID of the instance, the one that is shown first; none too if the list can't be read. */
async function listKept(
  { db, series, log }: Pick<Deps, "db" | "series" | "log">,
  userId: string,
  { studyInstanceUID, seriesInstanceUID, sopInstanceUID }: ArrivedInstance,
): Promise<ManifestInstance[]> {
  const studyIds = (await listOwnStudies(db, userId, [studyInstanceUID])).map(({ id }) => id);
  if (studyIds.length === 0) return [];
  const scope = { caller: { userId, role: "user" as const }, studyIds };
  const object = await findManifestObject(db, scope, { studyInstanceUID, seriesInstanceUID });
  if (!object) return [];
  using _ = await lists.take(userId);
  try {
    const manifest = await series.manifest(object);
    const shown = findInstance(manifest, sopInstanceUID);
    const variants = manifest.variants?.filter((variant) => variant.sopInstanceUID === sopInstanceUID) ?? [];
    return shown ? [shown, ...variants.map((variant) => ({ ...shown, ...variant }))] : [];
  } catch (error) {
    noteUnread(log, error);
    return [];
  }
}

/**
 * The first bytes of a kept file, if these are its header and name the transfer syntax. Its own reader says where the data set begins,
 * since the length that a header says it has may take in elements of the data set.
 */
async function readHeader(
  { series, log }: Pick<Deps, "series" | "log">,
  kept: ManifestInstance,
  headerBytes: number,
  transferSyntaxUID: string,
): Promise<Uint8Array | undefined> {
  if (headerBytes < FIRST_BYTES || headerBytes > MAX_HEADER_BYTES) return undefined;
  try {
    const length = Math.min(headerBytes + NEXT_BYTES, kept.sizeBytes);
    const head = await series.read(kept, { offset: 0, length });
    const beginning = hasPreamble(head) ? readBeginning(head) : undefined;
    if (beginning?.dataSetAt !== headerBytes) return undefined;
    // A copy: the rest of a deflated instance would be held with it.
    return beginning.transferSyntaxUID === transferSyntaxUID ? head.slice(0, headerBytes) : undefined;
  } catch (error) {
    noteUnread(log, error);
    return undefined;
  }
}

/** Whether a file has the kept content once the header stands before what it has from `start` on. */
async function hasContent(
  { contentHash }: ManifestInstance,
  header: Uint8Array,
  { path, start }: { path: string; start: number },
): Promise<boolean> {
  // Of the first release, which kept only CRC-32s: these are easily equal on purpose.
  if (contentHash === undefined) return false;
  const hash = new ContentHash().update(header);
  for await (const chunk of createReadStream(path, { start, highWaterMark: 256 * 1024 }))
    hash.update(chunk as Buffer);
  return hash.digest() === contentHash;
}

/**
 * Reads a kept instance, since the arrived one is not kept beside it. Returns true if its bytes are right, and if they are damaged:
 * then this has been noted, and the arrived ones take their place.
 */
async function isReadOrNoted(
  { series, log }: Pick<Deps, "series" | "log">,
  kept: ManifestInstance,
): Promise<boolean> {
  try {
    const pieces = piecesOf(await series.open(kept))[Symbol.asyncIterator]();
    while (!(await pieces.next()).done);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.kind === archiveDamaged) return true;
    noteUnread(log, error);
    return false;
  }
}

/** The header that was written before an arrived data set (`dimse/file-meta.ts`). */
async function ownHeader(path: string): Promise<Uint8Array> {
  const first = await Bun.file(path).slice(0, FIRST_BYTES).bytes();
  const restBytes = new DataView(first.buffer, first.byteOffset).getUint32(FIRST_BYTES - 4, true);
  return await Bun.file(path)
    .slice(0, FIRST_BYTES + restBytes)
    .bytes();
}

function noteUnread(log: Pick<Deps, "log">["log"], error: unknown): void {
  log.warn("dimse.kept_unread", { reason: error instanceof Error ? error.name : "unknown" });
}
