import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import {
  type DicomElements,
  type WriteInstanceOptions,
  writeInstance,
} from "../../../src/server/dicom/write-instance.ts";
import type { Instance, ReadInstance } from "../../../src/shared/dicom/reading/instance.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";

export const IMPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2";
export const EXPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2.1";
export const EXPLICIT_BIG_ENDIAN = "1.2.840.10008.1.2.2";
export const DEFLATED = "1.2.840.10008.1.2.1.99";
export const JPEG_BASELINE = "1.2.840.10008.1.2.4.50";

/** A 2 × 2 slice of 16 bits with the elements that an archive requires. */
export const SAMPLE_ELEMENTS: DicomElements = {
  [TagHex.SpecificCharacterSet]: { vr: "CS", Value: ["ISO_IR 192"] },
  [TagHex.SOPClassUID]: { vr: "UI", Value: ["1.2.840.10008.5.1.4.1.1.2"] },
  [TagHex.SOPInstanceUID]: { vr: "UI", Value: ["2.25.30"] },
  [TagHex.StudyDate]: { vr: "DA", Value: ["20260314"] },
  [TagHex.StudyTime]: { vr: "TM", Value: ["072731.5"] },
  [TagHex.AccessionNumber]: { vr: "SH", Value: ["A-17"] },
  [TagHex.Modality]: { vr: "CS", Value: ["CT"] },
  [TagHex.InstitutionName]: { vr: "LO", Value: ["Clínica São José"] },
  [TagHex.StudyDescription]: { vr: "LO", Value: ["Crânio sem contraste"] },
  [TagHex.SeriesDescription]: { vr: "LO", Value: ["Axial 5 mm"] },
  "00081140": { vr: "SQ", Value: [{ "00081155": { vr: "UI", Value: ["2.25.31"] } }, {}] },
  [TagHex.PatientName]: { vr: "PN", Value: ["Conceição^João"] },
  [TagHex.PatientID]: { vr: "LO", Value: ["P 001"] },
  [TagHex.PatientBirthDate]: { vr: "DA", Value: ["1961.05.09"] },
  [TagHex.PatientSex]: { vr: "CS", Value: ["M"] },
  [TagHex.StudyInstanceUID]: { vr: "UI", Value: ["2.25.10"] },
  [TagHex.SeriesInstanceUID]: { vr: "UI", Value: ["2.25.20"] },
  [TagHex.SeriesNumber]: { vr: "IS", Value: [3] },
  [TagHex.InstanceNumber]: { vr: "IS", Value: [12] },
  [TagHex.SamplesPerPixel]: { vr: "US", Value: [1] },
  [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["MONOCHROME2"] },
  [TagHex.Rows]: { vr: "US", Value: [2] },
  [TagHex.Columns]: { vr: "US", Value: [2] },
  [TagHex.BitsAllocated]: { vr: "US", Value: [16] },
  [TagHex.PixelRepresentation]: { vr: "US", Value: [0] },
  [TagHex.PixelData]: { vr: "OW", bytes: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) },
};

/** The sample as a file, with `elements` added or put in place of its own. */
export function sampleFile(
  elements: DicomElements = {},
  options: Partial<Omit<WriteInstanceOptions, "elements">> = {},
): Uint8Array {
  return writeInstance({
    transferSyntaxUID: EXPLICIT_LITTLE_ENDIAN,
    ...options,
    elements: { ...SAMPLE_ELEMENTS, ...elements },
  });
}

/** The sample's elements but for some. */
export function sampleWithout(...tags: string[]): DicomElements {
  return Object.fromEntries(Object.entries(SAMPLE_ELEMENTS).filter(([tag]) => !tags.includes(tag)));
}

export function readBytes(bytes: Uint8Array): ReadInstance {
  return readInstance(memorySource(bytes));
}

/** Reads a file that has to be taken. */
export function readTaken(bytes: Uint8Array): Instance {
  const read = readBytes(bytes);
  if (!read.ok) throw new Error(`${read.reason}: ${read.detail}`);
  return read.instance;
}

/** Why a file is refused; undefined if it is accepted. */
export function skipReason(bytes: Uint8Array): string | undefined {
  const read = readBytes(bytes);
  return read.ok ? undefined : read.reason;
}
