import { statfs } from "node:fs/promises";

export interface DiskSpace {
  /** Free for this program. */
  freeBytes: number;
  sizeBytes: number;
}

/** The file system that holds `path`. */
export async function spaceOf(path: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(path);
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}

/** Below this share of the disk it counts as low, and the admin is told. */
const LOW_SHARE = 0.1;
const MAX_FLOOR_BYTES = 2 * 1024 ** 3;
/** What programs without a reservation may need, such as PostgreSQL. No writer of ours takes of it. */
export const SPARE_BYTES = 256 * 1024 ** 2;

/**
 * What uploads leave free: 2 GB, or a tenth of a disk that is smaller than 20 GB. Sign-in, reading,
 * deletions and small documents go on with what is below it.
 */
export function uploadFloorOf({ sizeBytes }: Pick<DiskSpace, "sizeBytes">): number {
  return Math.min(MAX_FLOOR_BYTES, sizeBytes * LOW_SHARE);
}

/** With fewer bytes free uploads are refused. On a disk below 2.5 GB that is the spare. */
export function refusedBelow({ sizeBytes }: Pick<DiskSpace, "sizeBytes">): number {
  return Math.max(SPARE_BYTES, uploadFloorOf({ sizeBytes }));
}

/** With fewer bytes free a disk is low, or full. */
export function lowBelow({ sizeBytes }: Pick<DiskSpace, "sizeBytes">): number {
  return Math.max(sizeBytes * LOW_SHARE, refusedBelow({ sizeBytes }));
}

/** `low`: less than a tenth is left. `full`: uploads are refused. */
export function diskStateOf({ freeBytes, sizeBytes }: DiskSpace): "ok" | "low" | "full" {
  if (freeBytes < refusedBelow({ sizeBytes })) return "full";
  return freeBytes < lowBelow({ sizeBytes }) ? "low" : "ok";
}
