import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { decodeManifestIndex } from "../../archive/manifest-codec.ts";
import type { Deps } from "../../deps.ts";
import { soughtOf, sourcesOf } from "../../holdings/checking/check-object.ts";
import { wrongRangesOf } from "../../holdings/checking/wrong-ranges.ts";
import { type FoundBytes, findBytes } from "../../holdings/object-sources.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import type { StoreDeps } from "../../holdings/reading/stored-bytes.ts";
import { describeError } from "../../runtime/log.ts";
import { isUnreadable } from "../../storage/disk/fs-failure.ts";
import type { ByteRange } from "../../storage/object-store.ts";
import type { PlannedUpload } from "./plan-build.ts";
import { isAsStored } from "./worker/salvage-entries.ts";
import { bytesOf, type KeptEntry } from "./worker/sort-instances.ts";
import type { PlannedStudy, SalvagedVolume, ScanResult } from "./worker/worker-messages.ts";

type SalvageDeps = StoreDeps & Pick<Deps, "db" | "disk" | "log">;

/**
 * Gives the plan what is left of damaged volumes. Returns how many bytes that are at most.
 * @throws the reason of `signal`
 */
export async function salvageForPlan(
  deps: SalvageDeps,
  folder: string,
  { build, stored }: PlannedUpload,
  { scan, signal }: { scan: Pick<ScanResult, "restBytes" | "studies">; signal: AbortSignal },
): Promise<number> {
  let sizeBytes = 0;
  for (const study of build.studies) {
    // A lost manifest may have named more of a volume. A volume that the archive store holds already is not written.
    const isKnown = study.series.every(({ lostInstances }) => lostInstances === undefined);
    if (!isKnown || study.volume.storedAs) continue;
    const isLost = new Set(study.lostVolumes);
    const volumes = stored.get(study.studyInstanceUID)?.volumes ?? [];
    const scanned = scan.studies.find(({ studyInstanceUID }) => studyInstanceUID === study.studyInstanceUID);
    const uids = new Set(scanned?.series.flatMap(({ sopInstanceUIDs }) => sopInstanceUIDs));
    const lost: StoredObjectRow[] = [];
    for (const volume of volumes)
      if (isLost.has(volume.id) && !(await leavesWrong(deps, volume, study, uids))) lost.push(volume);
    const besideBytes = scan.restBytes + sizeBytes;
    const salvaged = await salvageVolumes(deps, folder, lost, { besideBytes, signal });
    if (salvaged.length > 0) study.salvage = salvaged;
    for (const volume of salvaged) sizeBytes += volume.sizeBytes;
  }
  return sizeBytes;
}

/** With more suspects, copying the volume costs less than reading each of them. */
const MAX_SUSPECTS = 100;

/**
 * Whether a damaged volume has wrong bytes of an instance that this upload does not bring. Copying the volume would be in vain then; the
 * upload that brings the last of these instances copies it. `false` if too much would have to be read to know.
 */
async function leavesWrong(
  deps: SalvageDeps,
  volume: StoredObjectRow,
  { series }: PlannedStudy,
  uids: ReadonlySet<string>,
): Promise<boolean> {
  try {
    const wrong = await wrongRangesOf(deps, volume);
    const suspects: KeptEntry[] = [];
    for (const { existing } of series) {
      if (!existing) continue;
      const { instances, variants = [] } = decodeManifestIndex(await bytesOf(existing));
      for (const kept of [...instances, ...variants])
        if (kept.volumeId === volume.id && !uids.has(kept.sopInstanceUID) && isWithin(wrong, kept))
          suspects.push(kept);
    }
    if (suspects.length > MAX_SUSPECTS) return false;
    const found = await findBytes(sourcesOf(deps), soughtOf(volume));
    for (const kept of suspects)
      if (!found || !(await isAsStored(await readEntry(deps, volume, found, kept), kept))) return true;
  } catch (error) {
    if (isUnreadable(error)) return true;
    deps.log.warn("integrity.not_salvaged", { object: volume.id, ...describeError(error) });
  }
  return false;
}

function isWithin(ranges: readonly ByteRange[], { dataOffset, storedBytes }: KeptEntry): boolean {
  return ranges.some(
    ({ offset, length }) => offset < dataOffset + storedBytes && dataOffset < offset + length,
  );
}

async function readEntry(
  deps: SalvageDeps,
  { key }: StoredObjectRow,
  { path, sizeBytes }: FoundBytes,
  { dataOffset, storedBytes }: KeptEntry,
): Promise<Readable> {
  const length = Math.min(storedBytes, sizeBytes - dataOffset);
  if (length <= 0) return Readable.from([]);
  if (path !== undefined) return createReadStream(path, { start: dataOffset, end: dataOffset + length - 1 });
  const body = await sourcesOf(deps).store.open(key, { offset: dataOffset, length });
  return Readable.from(body instanceof Blob ? body.stream() : body);
}

/**
 * Copies damaged volumes, unchecked, into an upload's folder, so that its worker can move what is still right. A volume that is gone
 * or can't be read, and one that the disk has no room for, is left out: the upload then replaces only what it brings.
 * @param besideBytes what the upload itself is yet to write
 * @throws the reason of `signal`
 */
export async function salvageVolumes(
  deps: SalvageDeps,
  folder: string,
  volumes: readonly StoredObjectRow[],
  { besideBytes, signal }: { besideBytes: number; signal: AbortSignal },
): Promise<SalvagedVolume[]> {
  const salvaged: SalvagedVolume[] = [];
  let toWriteBytes = besideBytes;
  for (const volume of volumes) {
    const path = join(folder, `damaged-${volume.id}`);
    try {
      const sizeBytes = await copyUnchecked(deps, volume, path, { toWriteBytes, signal });
      if (sizeBytes > 0) salvaged.push({ volumeId: volume.id, path, sizeBytes });
      toWriteBytes += sizeBytes;
    } catch (error) {
      // What came of it would take the room that the upload needs.
      await rm(path, { force: true });
      signal.throwIfAborted();
      deps.log.warn("integrity.not_salvaged", { object: volume.id, ...describeError(error) });
    }
  }
  return salvaged;
}

/** Returns how many bytes there were. @throws {DiskFull} unless all that is to be written of them fits too */
async function copyUnchecked(
  deps: SalvageDeps,
  volume: StoredObjectRow,
  path: string,
  { toWriteBytes, signal }: { toWriteBytes: number; signal: AbortSignal },
): Promise<number> {
  const found = await findBytes(sourcesOf(deps), soughtOf(volume));
  if (!found) return 0;
  // What lies behind the bytes that were stored is none of them.
  const lengthBytes = Math.min(found.sizeBytes, volume.sizeBytes);
  using room = await deps.disk.reserve(2 * lengthBytes + toWriteBytes);
  await using file = await open(path, "w", 0o600);
  let sizeBytes = 0;
  for await (const chunk of found.read()) {
    signal.throwIfAborted();
    const wanted = chunk.subarray(0, lengthBytes - sizeBytes);
    if (wanted.length === 0) break;
    await file.writeFile(wanted);
    sizeBytes += wanted.length;
    room.spend(wanted.length);
  }
  return sizeBytes;
}
