import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";

/** A repeating group has sixteen even numbers: 6000 to 601E (PS3.5 §7.6). */
export const OVERLAY_GROUPS: readonly string[] = Array.from({ length: 16 }, (_, at) =>
  (0x6000 + 2 * at).toString(16).toUpperCase(),
);

/** Whether graphics of its own are drawn over the image (PS3.3 §C.9.2). */
export function hasOverlays(metadata: DicomJson): boolean {
  return OVERLAY_GROUPS.some((group) => metadata[`${group}0010`]);
}
