import type { FrameTable } from "../../../../shared/dicom/reading/frame-table.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { type Pieces, piecesOf } from "../../../archive/pieces.ts";
import type { InstanceBytes } from "../dicomweb.catalogue.ts";

/** The instance's file up to its first byte of pixel data, inflated. */
export async function openHeader(
  series: Pick<InstanceBytes, "open" | "openInflated">,
  instance: ManifestInstance,
): Promise<Pieces> {
  const { frames } = instance;
  if (frames.kind === "none") throw new RangeError("an instance without pixels");
  const header = { offset: 0, length: firstPixelByte(frames) };
  return piecesOf(
    await (isDeflated(frames) ? series.openInflated(instance, header) : series.open(instance, header)),
  );
}

export function isDeflated(frames: FrameTable): boolean {
  return frames.kind === "native" && frames.deflated === true;
}

export function firstPixelByte(frames: Exclude<FrameTable, { kind: "none" }>): number {
  return frames.kind === "native" ? frames.offset : (frames.frames[0]?.[0]?.[0] ?? 0);
}
