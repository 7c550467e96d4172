import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../../deps.ts";
import { soughtOf, sourcesOf } from "../../holdings/checking/check-object.ts";
import { findBytes } from "../../holdings/object-sources.ts";
import type { StoredObjectRow } from "../../holdings/objects/stored-objects.table.ts";
import type { StoreDeps } from "../../holdings/reading/stored-bytes.ts";
import { describeError } from "../../runtime/log.ts";
import { DiskFull } from "../../storage/disk/disk-room.ts";
import type { SalvagedVolume } from "./worker/worker-messages.ts";

type SalvageDeps = StoreDeps & Pick<Deps, "disk" | "log">;

/**
 * Copies damaged volumes, unchecked, into an upload's folder, so that its worker can move what is still right. A volume that is gone
 * or can't be read, and one that the disk has no room for, is left out: the upload then replaces only what it brings.
 */
export async function salvageVolumes(
  deps: SalvageDeps,
  folder: string,
  volumes: readonly StoredObjectRow[],
): Promise<SalvagedVolume[]> {
  const salvaged: SalvagedVolume[] = [];
  for (const volume of volumes) {
    const path = join(folder, `damaged-${volume.id}`);
    const sizeBytes = await copyUnchecked(deps, volume, path).catch((error: unknown) => {
      deps.log.warn("integrity.not_salvaged", { object: volume.id, ...describeError(error) });
      return 0;
    });
    if (sizeBytes > 0) salvaged.push({ volumeId: volume.id, path, sizeBytes });
  }
  return salvaged;
}

/** Returns how many bytes there were. @throws {DiskFull} */
async function copyUnchecked(deps: SalvageDeps, volume: StoredObjectRow, path: string): Promise<number> {
  const found = await findBytes(sourcesOf(deps), soughtOf(volume));
  if (!found) return 0;
  using room = await deps.disk.reserve(found.sizeBytes);
  await using file = await open(path, "w", 0o600);
  let sizeBytes = 0;
  for await (const chunk of found.read()) {
    sizeBytes += chunk.length;
    if (sizeBytes > found.sizeBytes) throw new DiskFull("more than it was said to have");
    await file.writeFile(chunk);
    room.spend(chunk.length);
  }
  return sizeBytes;
}
