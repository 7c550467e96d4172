import {
  type DicomElements,
  type WriteInstanceOptions,
  writeInstance,
} from "../../scripts/demo/dicom-writer.ts";
import { memorySource } from "../../src/server/dicom/byte-source.ts";
import type { Instance, ReadInstance } from "../../src/server/dicom/instance.ts";
import { readInstance } from "../../src/server/dicom/read-instance.ts";

export const IMPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2";
export const EXPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2.1";
export const EXPLICIT_BIG_ENDIAN = "1.2.840.10008.1.2.2";
export const DEFLATED = "1.2.840.10008.1.2.1.99";
export const JPEG_BASELINE = "1.2.840.10008.1.2.4.50";

/** A 2 × 2 slice of 16 bits with what an archive asks of an instance. */
export const SAMPLE_ELEMENTS: DicomElements = {
  "00080005": { vr: "CS", Value: ["ISO_IR 192"] },
  "00080016": { vr: "UI", Value: ["1.2.840.10008.5.1.4.1.1.2"] },
  "00080018": { vr: "UI", Value: ["2.25.30"] },
  "00080020": { vr: "DA", Value: ["20260314"] },
  "00080030": { vr: "TM", Value: ["072731.5"] },
  "00080050": { vr: "SH", Value: ["A-17"] },
  "00080060": { vr: "CS", Value: ["CT"] },
  "00080080": { vr: "LO", Value: ["Clínica São José"] },
  "00081030": { vr: "LO", Value: ["Crânio sem contraste"] },
  "0008103E": { vr: "LO", Value: ["Axial 5 mm"] },
  "00081140": { vr: "SQ", Value: [{ "00081155": { vr: "UI", Value: ["2.25.31"] } }, {}] },
  "00100010": { vr: "PN", Value: ["Conceição^João"] },
  "00100020": { vr: "LO", Value: ["P 001"] },
  "00100030": { vr: "DA", Value: ["1961.05.09"] },
  "00100040": { vr: "CS", Value: ["M"] },
  "0020000D": { vr: "UI", Value: ["2.25.10"] },
  "0020000E": { vr: "UI", Value: ["2.25.20"] },
  "00200011": { vr: "IS", Value: [3] },
  "00200013": { vr: "IS", Value: [12] },
  "00280002": { vr: "US", Value: [1] },
  "00280004": { vr: "CS", Value: ["MONOCHROME2"] },
  "00280010": { vr: "US", Value: [2] },
  "00280011": { vr: "US", Value: [2] },
  "00280100": { vr: "US", Value: [16] },
  "00280103": { vr: "US", Value: [0] },
  "7FE00010": { vr: "OW", bytes: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) },
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

/** Why a file is not taken; undefined where it is. */
export function skipReason(bytes: Uint8Array): string | undefined {
  const read = readBytes(bytes);
  return read.ok ? undefined : read.reason;
}
