import { TagHex } from "../../../../shared/dicom/tags.ts";
import { isVideo } from "../../../../shared/dicom/transfer-syntax.ts";
import type { SeriesManifest } from "../../../archive/manifest.ts";
import type { QidoMatch } from "./qido-match.ts";

/** What the manifest knows; everything else is in the metadata. */
const INDEXED: ReadonlySet<string> = new Set([
  TagHex.SOPClassUID,
  TagHex.SOPInstanceUID,
  TagHex.StudyInstanceUID,
  TagHex.SeriesInstanceUID,
  TagHex.InstanceNumber,
  TagHex.NumberOfFrames,
  TagHex.Rows,
  TagHex.Columns,
]);

/** Whether the list of a series' instances answers a filter, but for the frames of videos. */
export function isIndexed({ path: [first] }: QidoMatch): boolean {
  return first !== undefined && INDEXED.has(first.tag);
}

/**
 * The filters that the list of instances of a series answers, and those for which its metadata are read: a video is listed as one
 * frame, and its metadata alone say how many it has.
 */
export function filtersOf(
  { instances }: SeriesManifest,
  { byIndex, byMetadata }: { byIndex: QidoMatch[]; byMetadata: QidoMatch[] },
): { byList: QidoMatch[]; byWhole: QidoMatch[] } {
  const byFrames = byIndex.filter(isByFrames);
  if (byFrames.length === 0 || !instances.some(({ transferSyntaxUID }) => isVideo(transferSyntaxUID)))
    return { byList: byIndex, byWhole: byMetadata };
  return { byList: byIndex.filter((match) => !isByFrames(match)), byWhole: [...byFrames, ...byMetadata] };
}

function isByFrames({ path: [first] }: QidoMatch): boolean {
  return first?.tag === TagHex.NumberOfFrames;
}
