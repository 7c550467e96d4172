import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ManifestInstance, SeriesManifest } from "../../src/server/archive/manifest.ts";
import { encodeManifest } from "../../src/server/archive/manifest-codec.ts";
import type { Db } from "../../src/server/db/client.ts";
import { series, type studies } from "../../src/server/features/studies/studies.table.ts";
import { storedObjects } from "../../src/server/holdings/objects/stored-objects.table.ts";
import { dataSetText } from "../../src/shared/dicom/reading/data-set-text.ts";
import type { DicomJson } from "../../src/shared/dicom/reading/instance.ts";
import { TagHex } from "../../src/shared/dicom/tags.ts";
import { TransferSyntax } from "../../src/shared/dicom/transfer-syntax.ts";

type Study = typeof studies.$inferInsert;

const CT_IMAGE = "1.2.840.10008.5.1.4.1.1.2";
const SIDE = 512;
const HEADER_BYTES = 2_048;
/** A folder of the store holds the manifests of as many studies. */
const STUDIES_A_FOLDER = 500;
const FILES_AT_ONCE = 32;
const ROWS_PER_STATEMENT = 1_000;

/** The UIDs of the instances that {@link addInstances} gives a study. */
export const seriesUID = (studyInstanceUID: string, number: number) => `${studyInstanceUID}.${number}`;
export const instanceUID = (studyInstanceUID: string, number: number, instance: number) =>
  `${seriesUID(studyInstanceUID, number)}.${instance}`;

/**
 * The series that studies count, with their instances shared out evenly: rows, and in the store of `dataDir` the manifests as uploads
 * write them. Only the volumes are missing, so that searches and metadata answer, but no pixels.
 */
export async function addInstances(db: Db, dataDir: string, rows: readonly Study[]): Promise<void> {
  for (let from = 0; from < rows.length; from += STUDIES_A_FOLDER) {
    const uploadId = Bun.randomUUIDv7();
    await mkdir(join(dataDir, "objects", uploadId), { recursive: true });
    const ofFolder = rows.slice(from, from + STUDIES_A_FOLDER).flatMap(seriesOf);
    const objects: (typeof storedObjects.$inferInsert)[] = [];
    for (let at = 0; at < ofFolder.length; at += FILES_AT_ONCE) {
      const writing = ofFolder.slice(at, at + FILES_AT_ONCE).map(async (one) => {
        const bytes = await encodeManifest(contentOf(one));
        const key = `${uploadId}/${one.row.manifestId}.manifest`;
        await writeFile(join(dataDir, "objects", key), bytes);
        objects.push({
          id: one.row.manifestId,
          studyId: one.study.id,
          uploadId,
          kind: "manifest",
          key,
          sizeBytes: bytes.length,
          sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
          location: "archive",
          createdAt: one.study.createdAt,
        });
      });
      await Promise.all(writing);
    }
    for (let at = 0; at < ofFolder.length; at += ROWS_PER_STATEMENT) {
      const page = ofFolder.slice(at, at + ROWS_PER_STATEMENT).map(({ row }) => row);
      await db.insert(series).values(page);
      await db.insert(storedObjects).values(objects.slice(at, at + ROWS_PER_STATEMENT));
    }
  }
}

interface SeededSeries {
  study: Study;
  row: typeof series.$inferInsert & { seriesNumber: number };
}

function seriesOf(study: Study): SeededSeries[] {
  const modalities = (study.modality ?? "").split("\\").filter((modality) => modality !== "");
  const date = (study.studyDate ?? "").replaceAll("-", "");
  return Array.from({ length: study.seriesCount }, (_, index) => {
    const seriesNumber = index + 1;
    const share = Math.floor(study.instanceCount / study.seriesCount);
    const rest = index < study.instanceCount % study.seriesCount ? 1 : 0;
    const attributes = {
      [TagHex.ProtocolName]: { vr: "LO", Value: [study.description ?? "Rotina"] },
      [TagHex.RequestAttributesSequence]: {
        vr: "SQ",
        Value: [{ [TagHex.RequestedProcedureID]: { vr: "SH", Value: [`P${study.accessionNumber ?? ""}`] } }],
      },
      ...(date && { [TagHex.PerformedProcedureStepStartDate]: { vr: "DA", Value: [date] } }),
    };
    const row = {
      id: Bun.randomUUIDv7(),
      studyId: study.id,
      seriesInstanceUID: seriesUID(study.studyInstanceUID, seriesNumber),
      seriesNumber,
      description: study.description ?? null,
      modality: modalities[index % modalities.length] ?? null,
      instanceCount: share + rest,
      manifestId: Bun.randomUUIDv7(),
      attributes: attributes as DicomJson,
    };
    return { study, row };
  });
}

function contentOf({ study, row }: SeededSeries) {
  const { studyInstanceUID } = study;
  const { seriesInstanceUID, seriesNumber } = row;
  const volumeId = Bun.randomUUIDv7();
  const sizeBytes = HEADER_BYTES + SIDE * SIDE * 2;
  const instances = Array.from({ length: row.instanceCount }, (_, index): ManifestInstance => {
    const sopInstanceUID = instanceUID(studyInstanceUID, seriesNumber, index + 1);
    const image = {
      sopInstanceUID,
      sopClassUID: CT_IMAGE,
      transferSyntaxUID: TransferSyntax.explicitLittleEndian,
    };
    const size = { rows: SIDE, columns: SIDE, sizeBytes, storedBytes: sizeBytes };
    return {
      ...image,
      ...size,
      instanceNumber: index + 1,
      volumeId,
      dataOffset: 64 + index * (sizeBytes + 64),
      method: 0,
      crc32: Bun.hash.crc32(sopInstanceUID),
      frames: { kind: "native", frameCount: 1, offset: HEADER_BYTES, frameBytes: SIDE * SIDE * 2 },
      contentHash: Bun.hash(sopInstanceUID).toString(16).padStart(16, "0"),
    };
  });
  const manifest: SeriesManifest = { version: 1, studyInstanceUID, seriesInstanceUID, instances };
  return {
    manifest,
    metadataOf: (instance: ManifestInstance) => Buffer.from(dataSetText(metadataOf(study, row, instance))),
  };
}

/** What a CT slice says, without the groups that only its maker reads. */
function metadataOf(study: Study, row: SeededSeries["row"], instance: ManifestInstance): DicomJson {
  const number = instance.instanceNumber ?? 1;
  const element = (vr: string, ...Value: (string | number | null | undefined)[]) => ({
    vr,
    ...(Value.every((value) => value !== null && value !== undefined) && { Value }),
  });
  const date = study.studyDate?.replaceAll("-", "");
  const time = study.studyTime?.replaceAll(":", "");
  return {
    [TagHex.ImageType]: element("CS", "ORIGINAL", "PRIMARY", "AXIAL"),
    [TagHex.SOPClassUID]: element("UI", instance.sopClassUID),
    [TagHex.SOPInstanceUID]: element("UI", instance.sopInstanceUID),
    [TagHex.StudyDate]: element("DA", date),
    [TagHex.SeriesDate]: element("DA", date),
    [TagHex.AcquisitionDate]: element("DA", date),
    [TagHex.StudyTime]: element("TM", time),
    [TagHex.SeriesTime]: element("TM", time),
    [TagHex.AccessionNumber]: element("SH", study.accessionNumber),
    [TagHex.Modality]: element("CS", row.modality),
    [TagHex.Manufacturer]: element("LO", "EXAMETECA"),
    [TagHex.InstitutionName]: element("LO", study.institutionName),
    ...study.attributes,
    [TagHex.StudyDescription]: element("LO", study.description),
    [TagHex.SeriesDescription]: element("LO", row.description),
    [TagHex.PatientName]: {
      vr: "PN",
      ...(study.patientName && { Value: [{ Alphabetic: study.patientName }] }),
    },
    [TagHex.PatientID]: element("LO", study.patientID),
    [TagHex.PatientBirthDate]: element("DA", study.patientBirthDate?.replaceAll("-", "")),
    [TagHex.PatientSex]: element("CS", study.patientSex),
    [TagHex.SliceThickness]: element("DS", 1.25),
    [TagHex.KVP]: element("DS", 120),
    ...row.attributes,
    [TagHex.StudyInstanceUID]: element("UI", study.studyInstanceUID),
    [TagHex.SeriesInstanceUID]: element("UI", row.seriesInstanceUID),
    [TagHex.SeriesNumber]: element("IS", row.seriesNumber),
    [TagHex.InstanceNumber]: element("IS", number),
    [TagHex.ImagePositionPatient]: element("DS", -125, -130.5, -1.25 * number),
    [TagHex.ImageOrientationPatient]: element("DS", 1, 0, 0, 0, 1, 0),
    [TagHex.FrameOfReferenceUID]: element("UI", `${row.seriesInstanceUID}.0`),
    [TagHex.SliceLocation]: element("DS", -1.25 * number),
    [TagHex.SamplesPerPixel]: element("US", 1),
    [TagHex.PhotometricInterpretation]: element("CS", "MONOCHROME2"),
    [TagHex.Rows]: element("US", SIDE),
    [TagHex.Columns]: element("US", SIDE),
    [TagHex.PixelSpacing]: element("DS", 0.488281, 0.488281),
    [TagHex.BitsAllocated]: element("US", 16),
    [TagHex.BitsStored]: element("US", 12),
    [TagHex.HighBit]: element("US", 11),
    [TagHex.PixelRepresentation]: element("US", 0),
    [TagHex.WindowCenter]: element("DS", 40),
    [TagHex.WindowWidth]: element("DS", 400),
    [TagHex.RescaleIntercept]: element("DS", -1024),
    [TagHex.RescaleSlope]: element("DS", 1),
  } as DicomJson;
}
