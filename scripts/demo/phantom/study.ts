import {
  type DicomElement,
  type DicomElements,
  writeInstance,
} from "../../../src/server/dicom/write-instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { seedOf } from "../../../src/shared/phantom/random.ts";
import { characterSetValue, textEncoderFor } from "./character-set.ts";
import { type Attributes, toElements } from "./keywords.ts";
import { ageAt, DEMO_PATIENTS, type DemoPatient } from "./patients.ts";
import { planCrChest } from "./plans/cr-chest.ts";
import { planCtChest } from "./plans/ct-chest.ts";
import { planCtHead } from "./plans/ct-head.ts";
import { planMammogram } from "./plans/mammogram.ts";
import { planMrHead } from "./plans/mr-head.ts";
import { planUsHeart } from "./plans/us-heart.ts";
import { encodeRleFrame } from "./rle.ts";
import type { Pixels, PlanOptions, RenderedInstance, SeriesPlan, StudyPlan } from "./series-plan.ts";
import { uidOf } from "./uid.ts";

const PLANS = {
  "ct-head": planCtHead,
  "ct-chest": planCtChest,
  "mr-head": planMrHead,
  "us-heart": planUsHeart,
  "cr-chest": planCrChest,
  mammogram: planMammogram,
} as const satisfies Record<string, (options: PlanOptions) => StudyPlan>;

export type StudyKind = keyof typeof PLANS;
export const STUDY_KINDS = Object.keys(PLANS) as StudyKind[];

/** Transfer syntaxes the generator can write (PS3.5 §10). */
export const TRANSFER_SYNTAX = {
  implicitLittleEndian: "1.2.840.10008.1.2",
  explicitLittleEndian: "1.2.840.10008.1.2.1",
  deflated: "1.2.840.10008.1.2.1.99",
  explicitBigEndian: "1.2.840.10008.1.2.2",
  rleLossless: "1.2.840.10008.1.2.5",
} as const;

const SIZE_MAX = 4096;
const INSTANCES_MAX = 5000;

export interface GenerateStudyOptions {
  kind: StudyKind;
  /** Same seed and options, same bytes. */
  seed: number | string;
  patient?: DemoPatient;
  /** Columns of the main series; each kind has its usual size. */
  size?: number;
  /** Instances of each main series, where the kind has a choice. */
  instances?: number;
  /** Frames of a cine loop. */
  frames?: number;
  /** `YYYYMMDD` */
  studyDate?: string;
  /** `HHMMSS` */
  studyTime?: string;
  studyDescription?: string;
  accessionNumber?: string;
  institutionName?: string;
  transferSyntaxUID?: (typeof TRANSFER_SYNTAX)[keyof typeof TRANSFER_SYNTAX];
}

/** What a caller needs to know of an instance without parsing it. */
export interface InstanceAttributes {
  patientName: string;
  patientID: string;
  studyInstanceUID: string;
  seriesInstanceUID: string;
  sopInstanceUID: string;
  sopClassUID: string;
  transferSyntaxUID: string;
  studyDate: string;
  studyDescription: string;
  accessionNumber: string;
  modality: string;
  seriesNumber: number;
  seriesDescription: string;
  instanceNumber: number;
  rows: number;
  columns: number;
  numberOfFrames: number;
}

export interface GeneratedInstance {
  /** `SE0001/IM0001.dcm`; ASCII, unique within the study. */
  fileName: string;
  bytes: Uint8Array;
  attributes: InstanceAttributes;
}

type Study = Required<Omit<GenerateStudyOptions, "size" | "instances" | "frames" | "kind">> & {
  plan: StudyPlan;
  studyInstanceUID: string;
};

/**
 * Computes a whole study, one instance at a time as it is asked for.
 * @throws RangeError when size, instances or frames are out of bounds
 */
export function* generateStudy(options: GenerateStudyOptions): Generator<GeneratedInstance, void, undefined> {
  const study = describeStudy(options);
  for (const series of study.plan.series) {
    for (let index = 0; index < series.instances; index++) {
      yield composeInstance(study, series, index);
    }
  }
}

function describeStudy(options: GenerateStudyOptions): Study {
  const { kind, seed, size, instances, frames } = options;
  assertWithin("size", size, 8, SIZE_MAX);
  assertWithin("instances", instances, 1, INSTANCES_MAX);
  assertWithin("frames", frames, 1, INSTANCES_MAX);
  const plan = PLANS[kind]({ seed: seedOf(seed), size, instances, frames });
  return {
    seed,
    plan,
    patient: options.patient ?? DEMO_PATIENTS.joao,
    studyDate: options.studyDate ?? "20260817",
    studyTime: options.studyTime ?? "084200",
    studyDescription: options.studyDescription ?? plan.studyDescription,
    accessionNumber: options.accessionNumber ?? String(10_000_000 + (seedOf(seed, kind) % 89_999_999)),
    institutionName: options.institutionName ?? "Clínica São João",
    transferSyntaxUID: options.transferSyntaxUID ?? TRANSFER_SYNTAX.explicitLittleEndian,
    studyInstanceUID: uidOf(kind, seed, "study"),
  };
}

function assertWithin(name: string, value: number | undefined, low: number, high: number): void {
  if (value === undefined) return;
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new RangeError(`${name} must be a whole number from ${low} to ${high}, not ${value}`);
  }
}

function composeInstance(study: Study, series: SeriesPlan, index: number): GeneratedInstance {
  const { patient, plan, transferSyntaxUID, studyInstanceUID } = study;
  const rendered = series.render(index);
  const seriesInstanceUID = uidOf(studyInstanceUID, "series", series.seriesNumber);
  const sopInstanceUID = uidOf(seriesInstanceUID, "instance", index);
  const attributes: Attributes = {
    ...patientAndStudy(study),
    ...plan.attributes,
    ...series.attributes,
    ...rendered.attributes,
    ...imagePixel(rendered.pixels),
    SOPClassUID: series.sopClassUID,
    SOPInstanceUID: sopInstanceUID,
    SeriesInstanceUID: seriesInstanceUID,
    SeriesNumber: series.seriesNumber,
    SeriesDescription: series.seriesDescription,
    InstanceNumber: index + 1,
    ...(plan.sharesSpace && {
      FrameOfReferenceUID: uidOf(studyInstanceUID, "frame of reference"),
      PositionReferenceIndicator: null,
    }),
  };
  const elements: DicomElements = {
    ...toElements(attributes, textEncoderFor(patient.characterSet)),
    [TagHex.PixelData]: pixelData(rendered.pixels, transferSyntaxUID),
  };
  return {
    fileName: `SE${padded(series.seriesNumber)}/IM${padded(index + 1)}.dcm`,
    bytes: writeInstance({ transferSyntaxUID, elements }),
    attributes: {
      patientName: patient.patientName,
      patientID: patient.patientID,
      studyInstanceUID,
      seriesInstanceUID,
      sopInstanceUID,
      sopClassUID: series.sopClassUID,
      transferSyntaxUID,
      studyDate: study.studyDate,
      studyDescription: study.studyDescription,
      accessionNumber: study.accessionNumber,
      modality: plan.modality,
      seriesNumber: series.seriesNumber,
      seriesDescription: series.seriesDescription,
      instanceNumber: index + 1,
      ...shapeOf(rendered),
    },
  };
}

function padded(number: number): string {
  return String(number).padStart(4, "0");
}

function shapeOf({ pixels }: RenderedInstance): { rows: number; columns: number; numberOfFrames: number } {
  return { rows: pixels.rows, columns: pixels.columns, numberOfFrames: pixels.numberOfFrames ?? 1 };
}

function patientAndStudy(study: Study): Attributes {
  const { patient, plan, studyDate, studyTime } = study;
  return {
    SpecificCharacterSet: characterSetValue(patient.characterSet),
    PatientName: patient.patientName,
    PatientID: patient.patientID,
    PatientBirthDate: patient.patientBirthDate,
    PatientSex: patient.patientSex,
    PatientAge: ageAt(patient.patientBirthDate, studyDate),
    StudyInstanceUID: study.studyInstanceUID,
    StudyID: study.accessionNumber.slice(-4),
    StudyDescription: study.studyDescription,
    AccessionNumber: study.accessionNumber,
    ReferringPhysicianName: "Ferrão^Luís^^Dr.",
    InstitutionName: study.institutionName,
    StationName: `${plan.modality}01`,
    DeviceSerialNumber: "0001",
    SoftwareVersions: "1.0",
    Modality: plan.modality,
    InstanceCreationDate: studyDate,
    InstanceCreationTime: studyTime,
    StudyDate: studyDate,
    StudyTime: studyTime,
    SeriesDate: studyDate,
    SeriesTime: studyTime,
    AcquisitionDate: studyDate,
    AcquisitionTime: studyTime,
    ContentDate: studyDate,
    ContentTime: studyTime,
  };
}

/** The Image Pixel module (PS3.3 §C.7.6.3). */
function imagePixel(pixels: Pixels): Attributes {
  const { samples, samplesPerPixel = 1, numberOfFrames, bitsStored } = pixels;
  return {
    SamplesPerPixel: samplesPerPixel,
    PhotometricInterpretation: samplesPerPixel === 3 ? "RGB" : "MONOCHROME2",
    ...(samplesPerPixel === 3 && { PlanarConfiguration: 0 }),
    ...(numberOfFrames !== undefined && { NumberOfFrames: numberOfFrames }),
    Rows: pixels.rows,
    Columns: pixels.columns,
    BitsAllocated: samples.BYTES_PER_ELEMENT * 8,
    BitsStored: bitsStored,
    HighBit: bitsStored - 1,
    PixelRepresentation: samples instanceof Int16Array ? 1 : 0,
  };
}

function pixelData(pixels: Pixels, transferSyntaxUID: string): DicomElement {
  const { samples, rows, columns, samplesPerPixel = 1, numberOfFrames = 1 } = pixels;
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  const bytesPerSample = samples.BYTES_PER_ELEMENT;
  if (transferSyntaxUID === TRANSFER_SYNTAX.rleLossless) {
    const frameBytes = bytes.length / numberOfFrames;
    const shape = { rows, columns, samplesPerPixel, bytesPerSample };
    const fragments = Array.from({ length: numberOfFrames }, (_, frame) =>
      encodeRleFrame(bytes.subarray(frame * frameBytes, (frame + 1) * frameBytes), shape),
    );
    return { vr: "OB", fragments };
  }
  const swapped = transferSyntaxUID === TRANSFER_SYNTAX.explicitBigEndian && bytesPerSample === 2;
  return { vr: bytesPerSample === 1 ? "OB" : "OW", bytes: swapped ? Buffer.from(bytes).swap16() : bytes };
}
