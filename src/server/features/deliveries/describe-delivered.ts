import { indexAttributes } from "../../../shared/dicom/reading/index-attributes.ts";
import type { IndexAttributes } from "../../../shared/dicom/reading/instance.ts";
import { readInstanceMetadata } from "../dicomweb/metadata/read-instance-metadata.ts";
import type { ReceiptDeps } from "../receipts/make-receipt.ts";
import { manifestPages } from "../receipts/receipts.repo.ts";
import type { StudyRow } from "../studies/studies.table.ts";

/** An image has some 5 kB; one that says far more is passed over. */
const MAX_METADATA_BYTES = 256 * 1024;

/**
 * A study as an image says it that a delivery brought. What the study's row says comes from its first upload, which may be somebody
 * else's. Nothing is said of the patient and the exam if none of these images can be read.
 */
export async function describeDelivered(
  deps: ReceiptDeps,
  study: StudyRow,
  volumeIds: readonly string[],
): Promise<StudyRow> {
  const said = await readBrought(deps, study.id, new Set(volumeIds));
  return {
    ...study,
    patientName: said?.patientName ?? null,
    patientID: said?.patientID ?? null,
    description: said?.studyDescription ?? null,
    studyDate: said?.studyDate ?? null,
  };
}

async function readBrought(
  { db, series }: ReceiptDeps,
  studyId: string,
  volumeIds: ReadonlySet<string>,
): Promise<IndexAttributes | undefined> {
  for await (const page of manifestPages(db, studyId)) {
    for (const object of page) {
      const { instances } = await series.manifest(object);
      const brought = instances.find(({ volumeId, formerVolumeIds = [] }) =>
        [volumeId, ...formerVolumeIds].some((id) => volumeIds.has(id)),
      );
      if (!brought) continue;
      const stored = await series.metadata(object);
      const json = await readInstanceMetadata(stored, brought.sopInstanceUID, MAX_METADATA_BYTES);
      if (json) return indexAttributes(json);
    }
  }
  return undefined;
}
