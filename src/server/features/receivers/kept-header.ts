import { createReadStream } from "node:fs";
import { crc32 } from "node:zlib";
import { hasPreamble, PREAMBLE_BYTES } from "../../../shared/dicom/instance-start.ts";
import { ContentHash, isSameContent } from "../../archive/content-hash.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import type { Deps } from "../../deps.ts";
import { findInstance } from "../dicomweb/catalogue/find-instance.ts";
import { findManifestObject } from "../dicomweb/dicomweb.repo.ts";
import type { WholeFile } from "../ingest/resumable/growing-upload.ts";
import { listOwnStudies } from "../studies/studies.repo.ts";
import type { ArrivedInstance } from "./worker/dimse-messages.ts";

/** File Meta Information that is longer is not compared. */
const MAX_HEADER_BYTES = 16 * 1024;
/** Preamble, "DICM", and the first element, which says how long the others are. */
const FIRST_BYTES = PREAMBLE_BYTES + 4 + 12;
const LENGTH_AT = FIRST_BYTES - 4;
/** `(0002,0000) UL`, four bytes long. */
const GROUP_LENGTH = Buffer.from([0x02, 0, 0, 0, 0x55, 0x4c, 4, 0]);

/**
 * The file of an arrived instance as the account keeps it already, if both have one data set: what a sender sends has no File Meta
 * Information, so that another one before it makes no other instance of it (PS3.10 §7.1). Any other file as it arrived.
 */
export async function withKeptHeader(
  deps: Pick<Deps, "db" | "series" | "log">,
  accountId: string,
  arrived: ArrivedInstance & { path: string },
): Promise<WholeFile> {
  const { path, sizeBytes } = arrived;
  const asArrived = { path, sizeBytes, crc32: arrived.crc32 };
  const found = await findKept(deps, accountId, arrived);
  if (!found) return asArrived;
  const { kept, head } = found;
  const [keptLength, ownLength] = [headerLength(head), headerLength(await firstBytes(path))];
  if (keptLength === undefined || ownLength === undefined || head.length < keptLength) return asArrived;
  if (kept.sizeBytes - keptLength !== sizeBytes - ownLength) return asArrived;
  const header = head.subarray(0, keptLength);
  const hash = new ContentHash().update(header);
  let sum = crc32(header);
  for await (const chunk of createReadStream(path, { start: ownLength, highWaterMark: 256 * 1024 })) {
    hash.update(chunk as Buffer);
    sum = crc32(chunk as Buffer, sum);
  }
  const content = { sizeBytes: kept.sizeBytes, crc32: sum, contentHash: hash.digest() };
  if (!isSameContent(kept, content)) return asArrived;
  return { path, sizeBytes: kept.sizeBytes, crc32: sum, header: { bytes: header, replacesBytes: ownLength } };
}

/** What the account keeps under the UID of the instance, with its first bytes; undefined too if that can't be read. */
async function findKept(
  { db, series, log }: Pick<Deps, "db" | "series" | "log">,
  userId: string,
  { studyInstanceUID, seriesInstanceUID, sopInstanceUID, transferSyntaxUID }: ArrivedInstance,
): Promise<{ kept: ManifestInstance; head: Uint8Array } | undefined> {
  const studyIds = (await listOwnStudies(db, userId, [studyInstanceUID])).map(({ id }) => id);
  const scope = { caller: { userId, role: "user" as const }, studyIds };
  const object = await findManifestObject(db, scope, { studyInstanceUID, seriesInstanceUID });
  if (!object) return undefined;
  try {
    const kept = findInstance(await series.manifest(object), sopInstanceUID);
    if (kept?.transferSyntaxUID !== transferSyntaxUID) return undefined;
    const head = await series.read(kept, { offset: 0, length: Math.min(MAX_HEADER_BYTES, kept.sizeBytes) });
    return { kept, head };
  } catch (error) {
    log.warn("dimse.kept_unread", { reason: error instanceof Error ? error.name : "unknown" });
    return undefined;
  }
}

async function firstBytes(path: string): Promise<Uint8Array> {
  return await Bun.file(path).slice(0, FIRST_BYTES).bytes();
}

/** How long preamble and File Meta Information are; undefined if the file does not say so. */
function headerLength(head: Uint8Array): number | undefined {
  if (head.length < FIRST_BYTES || !hasPreamble(head)) return undefined;
  const first = Buffer.from(head.buffer, head.byteOffset, FIRST_BYTES);
  if (!first.subarray(PREAMBLE_BYTES + 4, LENGTH_AT).equals(GROUP_LENGTH)) return undefined;
  return FIRST_BYTES + first.readUInt32LE(LENGTH_AT);
}
