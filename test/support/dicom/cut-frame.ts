import { assembleFrame, locateFrame } from "../../../src/shared/dicom/reading/cut-frame.ts";
import type { FrameTable } from "../../../src/shared/dicom/reading/frame-table.ts";

/** Frame `frameIndex` (0-based) of a whole file in memory; undefined if there is no such frame. */
export function cutFrame(file: Uint8Array, table: FrameTable, frameIndex: number): Uint8Array | undefined {
  const location = locateFrame(table, frameIndex);
  return location && assembleFrame(file, 0, location);
}
