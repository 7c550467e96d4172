import type { DicomJson } from "../../../../shared/dicom/reading/instance.ts";
import { openMetadataJson } from "../../../archive/metadata-json.ts";
import { slicePieces } from "../../../archive/pieces.ts";
import type { Deps } from "../../../deps.ts";
import type { StoredObjectRow } from "../../../holdings/objects/stored-objects.table.ts";
import { streamOf } from "../../../http/stream-of.ts";

/** Longer metadata of an instance are not parsed. */
const MAX_INSTANCE_BYTES = 1024 * 1024;

/** The metadata of the first instance of a series, from its manifest; `undefined` if they are too long. */
export async function readFirstMetadata(
  { series }: Pick<Deps, "series">,
  manifest: StoredObjectRow,
): Promise<DicomJson | undefined> {
  const stored = await series.metadata(manifest);
  const [range] = await stored.ranges();
  if (!range || range.length > MAX_INSTANCE_BYTES) return undefined;
  const pieces = slicePieces(await openMetadataJson(stored), range.offset, range.length);
  return (await new Response(streamOf(pieces)).json()) as DicomJson;
}
