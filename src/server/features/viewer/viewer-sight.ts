import type { ViewerObstacle } from "../../../shared/api/studies.ts";
import { frameTransferSyntaxUID, TransferSyntax } from "../../../shared/dicom/transfer-syntax.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import type { DbOrTx } from "../../db/client.ts";
import type { SeriesReader } from "../dicomweb/series-reader.ts";
import { listLargestSeries } from "./viewer.repo.ts";

/** What there is to be seen of a study: the series to begin with, or why there is none. */
export type ViewerSight = { beginWith: string } | { obstacle: ViewerObstacle };

/** Transfer syntaxes that OHIF 3.13 decodes (its `decodeImageFrame`); it turns all others down. */
const DECODED = new Set<string>([
  TransferSyntax.implicitLittleEndian,
  TransferSyntax.explicitLittleEndian,
  TransferSyntax.explicitBigEndian,
  TransferSyntax.rleLossless,
  ...["50", "51", "57", "70", "80", "81", "90", "91", "201", "202", "203"].map(
    (jpeg) => `1.2.840.10008.1.2.4.${jpeg}`,
  ),
]);

/** Segmentations and parametric maps: drawn over other images, never alone. */
const OVERLAYS = new Set(["66.4", "66.7", "30"].map((tail) => `1.2.840.10008.5.1.4.1.1.${tail}`));

/**
 * Looks for the largest series with an image that the viewer decodes. Mostly that is the first one it reads, whose
 * manifest the viewer asks for next; only a study without any is read whole.
 */
export async function lookIntoStudy(
  db: DbOrTx,
  reader: Pick<SeriesReader, "manifest">,
  studyId: string,
): Promise<ViewerSight> {
  let obstacle: ViewerObstacle = "no_images";
  for (const { seriesInstanceUID, manifest } of await listLargestSeries(db, studyId)) {
    const images = (await reader.manifest(manifest)).instances.filter(isImage);
    if (images.some(isDecoded)) return { beginWith: seriesInstanceUID };
    if (images.length > 0) obstacle = "no_decoder";
  }
  return { obstacle };
}

function isImage({ frames, sopClassUID }: ManifestInstance): boolean {
  return frames.kind !== "none" && !OVERLAYS.has(sopClassUID);
}

function isDecoded({ transferSyntaxUID }: ManifestInstance): boolean {
  return DECODED.has(frameTransferSyntaxUID(transferSyntaxUID));
}
