import type { ViewerObstacle } from "../../../shared/api/studies.ts";
import { isDrawnOverOthers } from "../../../shared/dicom/sop-class.ts";
import { frameTransferSyntaxUID, TransferSyntax } from "../../../shared/dicom/transfer-syntax.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import type { Deps } from "../../deps.ts";
import { describeError } from "../../runtime/log.ts";
import { listLargestSeries } from "./viewer.repo.ts";

/** What the viewer can show of a study: the series to begin with, the reason why there is none, or `"unknown"`. */
export type StudyPreview = { beginWith: string } | { obstacle: ViewerObstacle } | "unknown";

/** The most manifests read for the previews of one token. */
const MAX_MANIFESTS = 100;
const MAX_PREVIEW_MS = 2_000;

/** Transfer syntaxes that OHIF 3.13 decodes (its `decodeImageFrame`); it refuses all others. */
const DECODED = new Set<string>([
  TransferSyntax.implicitLittleEndian,
  TransferSyntax.explicitLittleEndian,
  TransferSyntax.explicitBigEndian,
  TransferSyntax.rleLossless,
  ...["50", "51", "57", "70", "80", "81", "90", "91", "201", "202", "203"].map(
    (jpeg) => `1.2.840.10008.1.2.4.${jpeg}`,
  ),
]);

/**
 * Finds the largest series of each study with an image that the viewer can decode, one study after the other. Usually it
 * is the first series read, and the viewer asks for its manifest next. An unreadable manifest, or a search that takes too
 * long, does not keep the viewer closed: the viewer itself says what it can't show.
 */
export async function readStudyPreviews(
  deps: Pick<Deps, "db" | "log" | "series" | "elapsedMs">,
  studyIds: readonly string[],
): Promise<StudyPreview[]> {
  const budget = { manifestsLeft: MAX_MANIFESTS, endsAtMs: deps.elapsedMs() + MAX_PREVIEW_MS };
  const previews: StudyPreview[] = [];
  for (const studyId of studyIds) previews.push(await readStudyPreview(deps, studyId, budget));
  return previews;
}

async function readStudyPreview(
  deps: Pick<Deps, "db" | "log" | "series" | "elapsedMs">,
  studyId: string,
  budget: { manifestsLeft: number; endsAtMs: number },
): Promise<StudyPreview> {
  let obstacle: ViewerObstacle = "no_images";
  let isKnown = true;
  for (const { seriesInstanceUID, manifest } of await listLargestSeries(deps.db, studyId)) {
    if (budget.manifestsLeft-- <= 0 || deps.elapsedMs() > budget.endsAtMs) return "unknown";
    try {
      const images = (await deps.series.manifest(manifest)).instances.filter(isImage);
      if (images.some(isDecoded)) return { beginWith: seriesInstanceUID };
      if (images.length > 0) obstacle = "no_decoder";
    } catch (error) {
      deps.log.warn("viewer.look_failed", describeError(error));
      isKnown = false;
    }
  }
  return isKnown ? { obstacle } : "unknown";
}

export function isImage({ frames, sopClassUID }: ManifestInstance): boolean {
  return frames.kind !== "none" && !isDrawnOverOthers(sopClassUID);
}

function isDecoded({ transferSyntaxUID }: ManifestInstance): boolean {
  return DECODED.has(frameTransferSyntaxUID(transferSyntaxUID));
}
