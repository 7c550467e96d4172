import { join } from "node:path";

/**
 * The files of an upload that arrives on a disk: its bytes, what building in place overwrote of them, and since when no row names it.
 */
export function arrivingPaths(arrivingDir: string, uploadId: string) {
  const folder = join(arrivingDir, uploadId);
  return {
    folder,
    bytes: join(folder, "bytes"),
    undo: join(folder, "undo"),
    unnamed: join(folder, "unnamed"),
  };
}
