import type { FrameTable } from "../../../../shared/dicom/reading/frame-table.ts";
import { TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { joinPieces, piecesOf } from "../../../archive/pieces.ts";
import type { InstanceBytes } from "../dicomweb.catalogue.ts";
import { readFile } from "./read-file.ts";

export type NativeFrames = Extract<FrameTable, { kind: "native" }>;

/**
 * How long native pixel data are by their frames, and whether that is all of them. The value may have more: padding, or frames that are
 * not counted; only a search of the instance says how much.
 */
export async function countPixelBytes(
  reader: InstanceBytes,
  instance: ManifestInstance,
  frames: NativeFrames,
): Promise<{ length: number; isAll: boolean }> {
  const { frameBytes, frameCount, frameBits } = frames;
  const length = frameBits ? Math.ceil((frameBits * frameCount) / 8) : frameBytes * frameCount;
  return { length, isAll: await endsWithFrames(reader, instance, frames, length) };
}

/** Whether the value ends with its frames: they end the file, or are as long as what stands before them says (PS3.5 §7.1). */
async function endsWithFrames(
  reader: InstanceBytes,
  instance: ManifestInstance,
  frames: NativeFrames,
  countedBytes: number,
): Promise<boolean> {
  const { offset, deflated } = frames;
  if (countedBytes % 2 === 1) return false;
  if (!deflated && offset + countedBytes === instance.sizeBytes) return true;
  const written = await readFile(reader, instance, frames, { offset: offset - 4, length: 4 });
  const bytes = await joinPieces(piecesOf(written), 4);
  if (!bytes) return false;
  const isLittleEndian = instance.transferSyntaxUID !== TransferSyntax.explicitBigEndian;
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, isLittleEndian) === countedBytes;
}
