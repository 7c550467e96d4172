import type { DicomJson } from "../../../../shared/dicom/dicom-json.ts";
import { openMetadataJson } from "../../../archive/metadata-json.ts";
import { joinPieces, slicePieces } from "../../../archive/pieces.ts";
import type { StoredMetadata } from "../dicomweb.catalogue.ts";

/** The metadata of one instance of a series; undefined if it has more than `maxBytes`, or the series has no such instance. */
export async function readInstanceMetadata(
  stored: StoredMetadata,
  sopInstanceUID: string,
  maxBytes: number,
): Promise<DicomJson | undefined> {
  const range = await stored.rangeOf(sopInstanceUID);
  if (!range || range.length > maxBytes) return undefined;
  const inflated = await openMetadataJson(stored);
  const json = await joinPieces(slicePieces(inflated, range.offset, range.length), range.length);
  return json && (JSON.parse(Buffer.from(json.buffer).toString("utf8")) as DicomJson);
}
