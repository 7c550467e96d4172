import type { DicomJson, DicomJsonElement } from "../../../shared/dicom/dicom-json.ts";
import { TagHex } from "../../../shared/dicom/tags.ts";
import { CT_INTERCEPT } from "../../../shared/phantom/ct-stored.ts";
import { HEAD_FIELD_MM, headSlices } from "../../../shared/phantom/head-slices.ts";
import { MAX_THICKNESS_MM } from "../../../shared/phantom/slice-stack.ts";
import type { SeriesRecord } from "../../visor/core/source.ts";

/** Columns and rows of each slice. */
export const SAMPLE_SIZE = 256;
export const SAMPLE_SEED = 7;
export const SAMPLE_STUDY_UID = "2.25.142867193027514408250915577410396412881";
export const sampleStack = headSlices(24);

/** How the same slices are reconstructed: smooth for the brain, sharp for bone. */
const sampleKernels = ["brain", "bone"] as const;
export type SampleKernel = (typeof sampleKernels)[number];

const CT_IMAGE = "1.2.840.10008.5.1.4.1.1.2";
const WINDOWS: Record<SampleKernel, { center: number; width: number }> = {
  brain: { center: 40, width: 80 },
  bone: { center: 500, width: 2000 },
};

function seriesUidOf(kernel: SampleKernel): string {
  return `${SAMPLE_STUDY_UID}.${sampleKernels.indexOf(kernel) + 1}`;
}

function kernelOf(seriesInstanceUID: string): SampleKernel | undefined {
  return sampleKernels.find((kernel) => seriesUidOf(kernel) === seriesInstanceUID);
}

export interface SampleSlice {
  kernel: SampleKernel;
  /** Place in the stack, from the feet's side. */
  index: number;
}

/** The slice that an instance is; undefined for one that is not of the sample. */
export function sampleSliceOf(seriesInstanceUID: string, sopInstanceUID: string): SampleSlice | undefined {
  const kernel = kernelOf(seriesInstanceUID);
  const index = sampleStack.heights.findIndex(
    (_, place) => sopInstanceUID === `${seriesInstanceUID}.${place + 1}`,
  );
  return kernel && index >= 0 ? { kernel, index } : undefined;
}

export function sampleSeries(descriptions: Record<SampleKernel, string>): SeriesRecord[] {
  return sampleKernels.map((kernel, place) => ({
    studyInstanceUID: SAMPLE_STUDY_UID,
    seriesInstanceUID: seriesUidOf(kernel),
    seriesNumber: place + 1,
    modality: "CT",
    description: descriptions[kernel],
    instanceCount: sampleStack.heights.length,
  }));
}

/** The DICOM JSON of a series of the sample. It names nobody. */
export function sampleMetadata(seriesInstanceUID: string): DicomJson[] {
  const kernel = kernelOf(seriesInstanceUID);
  if (!kernel) return [];
  return sampleStack.heights.map((z, index) => instanceOf(kernel, z, index));
}

function instanceOf(kernel: SampleKernel, z: number, index: number): DicomJson {
  const seriesInstanceUID = seriesUidOf(kernel);
  const spacing = HEAD_FIELD_MM / SAMPLE_SIZE;
  const corner = (spacing - HEAD_FIELD_MM) / 2;
  const window = WINDOWS[kernel];
  return {
    [TagHex.SOPClassUID]: element("UI", CT_IMAGE),
    [TagHex.SOPInstanceUID]: element("UI", `${seriesInstanceUID}.${index + 1}`),
    [TagHex.StudyInstanceUID]: element("UI", SAMPLE_STUDY_UID),
    [TagHex.SeriesInstanceUID]: element("UI", seriesInstanceUID),
    [TagHex.FrameOfReferenceUID]: element("UI", `${SAMPLE_STUDY_UID}.0`),
    [TagHex.Modality]: element("CS", "CT"),
    [TagHex.InstanceNumber]: element("IS", index + 1),
    [TagHex.ImageType]: element("CS", "ORIGINAL", "PRIMARY", "AXIAL"),
    [TagHex.ImagePositionPatient]: element("DS", corner, corner, z),
    [TagHex.ImageOrientationPatient]: element("DS", 1, 0, 0, 0, 1, 0),
    [TagHex.PixelSpacing]: element("DS", spacing, spacing),
    [TagHex.SliceThickness]: element("DS", Math.min(MAX_THICKNESS_MM, sampleStack.step)),
    [TagHex.SamplesPerPixel]: element("US", 1),
    [TagHex.PhotometricInterpretation]: element("CS", "MONOCHROME2"),
    [TagHex.Rows]: element("US", SAMPLE_SIZE),
    [TagHex.Columns]: element("US", SAMPLE_SIZE),
    [TagHex.BitsAllocated]: element("US", 16),
    [TagHex.BitsStored]: element("US", 16),
    [TagHex.HighBit]: element("US", 15),
    [TagHex.PixelRepresentation]: element("US", 1),
    [TagHex.RescaleIntercept]: element("DS", CT_INTERCEPT),
    [TagHex.RescaleSlope]: element("DS", 1),
    [TagHex.WindowCenter]: element("DS", window.center),
    [TagHex.WindowWidth]: element("DS", window.width),
  };
}

function element(vr: string, ...values: (string | number)[]): DicomJsonElement {
  return { vr, Value: values };
}
