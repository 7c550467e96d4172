import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import {
  DEFLATED,
  EXPLICIT_BIG_ENDIAN,
  EXPLICIT_LITTLE_ENDIAN,
  sampleFile,
} from "../../support/dicom/dicom-sample.ts";

export const STUDY = "2.25.100";
export const OTHER_STUDY = "2.25.900";
export const CT_SERIES = "2.25.100.1";
export const MIXED_SERIES = "2.25.100.2";

export const JPEG_2000 = "1.2.840.10008.1.2.4.90";

interface SampleInstance {
  studyInstanceUID?: string;
  seriesInstanceUID?: string;
  sopInstanceUID: string;
  instanceNumber?: number;
  transferSyntaxUID?: string;
  elements?: DicomElements;
}

/** A written and read instance of 4 × 2 pixels of 16 bits, unless `elements` says otherwise. */
function sampleInstance(sample: SampleInstance) {
  const bytes = sampleFile(
    {
      [TagHex.SOPInstanceUID]: { vr: "UI", Value: [sample.sopInstanceUID] },
      [TagHex.StudyDate]: { vr: "DA", Value: ["20260131"] },
      [TagHex.PatientName]: { vr: "PN", Value: ["Gonçalves^João"] },
      [TagHex.PatientID]: { vr: "LO", Value: ["P-1"] },
      [TagHex.StudyInstanceUID]: { vr: "UI", Value: [sample.studyInstanceUID ?? STUDY] },
      [TagHex.SeriesInstanceUID]: { vr: "UI", Value: [sample.seriesInstanceUID ?? CT_SERIES] },
      [TagHex.InstanceNumber]: { vr: "IS", Value: [sample.instanceNumber ?? 1] },
      [TagHex.Columns]: { vr: "US", Value: [4] },
      [TagHex.PixelData]: { vr: "OW", bytes: pixels(1, 16) },
      ...sample.elements,
    },
    { transferSyntaxUID: sample.transferSyntaxUID ?? EXPLICIT_LITTLE_ENDIAN },
  );
  const read = readInstance(memorySource(bytes));
  if (!read.ok) throw new Error(`the sample is not readable: ${read.reason}`);
  return { bytes, instance: read.instance };
}

/** `count` bytes that identify their frame: the frame number, then a ramp. */
export function pixels(frameNumber: number, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, (_, index) => (index === 0 ? frameNumber : index));
}

/** Three CT slices, a second series with a frame of each kind, and a study of somebody else's. */
export function sampleStudies() {
  return [
    ...[3, 1, 2].map((instanceNumber) =>
      sampleInstance({ sopInstanceUID: `${CT_SERIES}.${instanceNumber}`, instanceNumber }),
    ),
    sampleInstance({
      seriesInstanceUID: MIXED_SERIES,
      sopInstanceUID: `${MIXED_SERIES}.1`,
      elements: {
        [TagHex.NumberOfFrames]: { vr: "IS", Value: [3] },
        [TagHex.PixelData]: { vr: "OW", bytes: Buffer.concat([pixels(1, 16), pixels(2, 16), pixels(3, 16)]) },
      },
    }),
    sampleInstance({
      seriesInstanceUID: MIXED_SERIES,
      sopInstanceUID: `${MIXED_SERIES}.2`,
      instanceNumber: 2,
      transferSyntaxUID: JPEG_2000,
      elements: {
        [TagHex.NumberOfFrames]: { vr: "IS", Value: [2] },
        [TagHex.PixelData]: {
          vr: "OB",
          fragments: [pixels(1, 20), pixels(11, 10), pixels(2, 30)],
          offsetTable: [0, 46],
        },
      },
    }),
    sampleInstance({
      seriesInstanceUID: MIXED_SERIES,
      sopInstanceUID: `${MIXED_SERIES}.3`,
      instanceNumber: 3,
      transferSyntaxUID: DEFLATED,
    }),
    sampleInstance({
      seriesInstanceUID: MIXED_SERIES,
      sopInstanceUID: `${MIXED_SERIES}.4`,
      instanceNumber: 4,
      transferSyntaxUID: EXPLICIT_BIG_ENDIAN,
      elements: { "00091001": { vr: "OW", bytes: pixels(0, 2_000) } },
    }),
    sampleInstance({
      studyInstanceUID: OTHER_STUDY,
      seriesInstanceUID: "2.25.900.1",
      sopInstanceUID: "2.25.900.1.1",
    }),
  ];
}
