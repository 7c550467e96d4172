import { mkdir, open, rename, rm } from "node:fs/promises";
import { readAt, sync } from "../../../storage/disk/durable-file.ts";
import { assertPartKept, PART_BYTES, partKey } from "./arriving-parts.ts";
import { arrivingPaths } from "./arriving-paths.ts";
import type { ArrivingPlaces } from "./copy-untaken.ts";
import type { ResumablePart } from "./resumable-uploads.table.ts";

/** Moves the bytes of a restored upload, a file, to where uploads arrive. Returns the parts to record, if it is kept as objects. */
export async function placeRestored(
  { arrivingDir, store }: ArrivingPlaces,
  uploadId: string,
  source: string,
): Promise<ResumablePart[]> {
  if (store.kind !== "disk") {
    const parts = await putParts(store, uploadId, source);
    await rm(source);
    return parts;
  }
  const { folder, bytes } = arrivingPaths(arrivingDir, uploadId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await sync(source);
  await rename(source, bytes);
  for (const path of [folder, arrivingDir]) await sync(path);
  return [];
}

async function putParts(
  store: ArrivingPlaces["store"],
  uploadId: string,
  source: string,
): Promise<ResumablePart[]> {
  await using file = await open(source, "r");
  const parts: ResumablePart[] = [];
  const buffer = new Uint8Array(PART_BYTES);
  for (let offset = 0; ; offset += PART_BYTES) {
    const bytes = buffer.subarray(0, await readAt(file, offset, buffer));
    if (bytes.length === 0) return parts;
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    const part = { id: Bun.randomUUIDv7(), uploadId, offset, sizeBytes: bytes.length, sha256 };
    await store.putBytes(partKey(part), bytes);
    await assertPartKept(store, part);
    parts.push(part);
  }
}
