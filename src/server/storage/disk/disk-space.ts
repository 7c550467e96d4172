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

/**
 * What uploads leave free: 2 GB, or a tenth of a disk that is smaller than 20 GB. Sign-in, reading, deletions and small
 * documents go on with what is below it.
 */
export function uploadFloorOf({ sizeBytes }: Pick<DiskSpace, "sizeBytes">): number {
  return Math.min(MAX_FLOOR_BYTES, sizeBytes * LOW_SHARE);
}

/** `low`: less than a tenth is left. `full`: uploads are refused. */
export function diskStateOf({ freeBytes, sizeBytes }: DiskSpace): "ok" | "low" | "full" {
  if (freeBytes < uploadFloorOf({ sizeBytes })) return "full";
  return freeBytes < sizeBytes * LOW_SHARE ? "low" : "ok";
}
