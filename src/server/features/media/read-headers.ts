import type { DicomJson } from "../../../shared/dicom/dicom-json.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import { inflatedMetadata } from "../../archive/manifest-codec.ts";
import { piecesOf, slicePieces } from "../../archive/pieces.ts";
import { readUpTo } from "../../runtime/read-up-to.ts";
import type { StoredMetadata } from "../dicomweb/dicomweb.catalogue.ts";

/** Larger headers are not read for a directory. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** The header of an instance in the DICOM JSON model; undefined if it is too large to be read for a directory. */
export async function readHeader(
  stored: StoredMetadata,
  { sopInstanceUID }: Pick<ManifestInstance, "sopInstanceUID">,
): Promise<DicomJson | undefined> {
  const range = await stored.rangeOf(sopInstanceUID);
  if (!range || range.length > MAX_HEADER_BYTES) return undefined;
  const pieces = slicePieces(inflatedMetadata(piecesOf(await stored.open())), range.offset, range.length);
  const json = await readUpTo(pieces, MAX_HEADER_BYTES);
  return json && (JSON.parse(new TextDecoder().decode(json)) as DicomJson);
}
