import { writeInstance } from "../../src/server/dicom/write-instance.ts";
import { TagHex } from "../../src/shared/dicom/tags.ts";
import { characterSetValue, textEncoderFor } from "../demo/phantom/character-set.ts";
import { toElements } from "../demo/phantom/keywords.ts";
import { DEMO_PATIENTS } from "../demo/phantom/patients.ts";
import { planCtChest } from "../demo/phantom/plans/ct-chest.ts";
import type { Pixels } from "../demo/phantom/series-plan.ts";
import { uidOf } from "../demo/phantom/uid.ts";

const EXPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2.1";
const PATIENT = DEMO_PATIENTS.joao;
const SLICE_MM = 0.6;

export interface CorpusStudyOptions {
  /** Another seed, another Study Instance UID. */
  seed: string;
  /** Rows and columns of a slice: 512 gives 526 kB, 128 34 kB. */
  size: number;
  instances: number;
  /** How many slices are computed. The others are copies with their rows shifted, so that no two are equal. */
  rendered: number;
}

/** One long CT series, made much faster than a rendered one. The same options give the same bytes. */
export function* corpusStudy(
  options: CorpusStudyOptions,
): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  const { seed, size, instances } = options;
  const slices = renderSlices(size, Math.min(options.rendered, instances));
  const { plan, series, rendered } = slices;
  const studyInstanceUID = uidOf("bench", seed);
  const shared = {
    SpecificCharacterSet: characterSetValue(PATIENT.characterSet),
    PatientName: PATIENT.patientName,
    PatientID: PATIENT.patientID,
    PatientBirthDate: PATIENT.patientBirthDate,
    PatientSex: PATIENT.patientSex,
    StudyInstanceUID: studyInstanceUID,
    SeriesInstanceUID: uidOf(studyInstanceUID, "series"),
    FrameOfReferenceUID: uidOf(studyInstanceUID, "frame of reference"),
    StudyDescription: plan.studyDescription,
    SeriesDescription: series.seriesDescription,
    AccessionNumber: "10000001",
    StudyDate: "20260817",
    StudyTime: "084200",
    Modality: plan.modality,
    SeriesNumber: 1,
    SOPClassUID: series.sopClassUID,
    SamplesPerPixel: 1,
    PhotometricInterpretation: "MONOCHROME2",
    Rows: size,
    Columns: size,
    BitsAllocated: 16,
    BitsStored: 12,
    HighBit: 11,
    PixelRepresentation: 0,
    ...plan.attributes,
    ...series.attributes,
  };
  const encode = textEncoderFor(PATIENT.characterSet);
  for (let index = 0; index < instances; index++) {
    const slice = rendered[index % rendered.length];
    if (!slice) return;
    const z = Number((index * SLICE_MM).toFixed(1));
    const attributes = {
      ...shared,
      ...slice.attributes,
      SOPInstanceUID: uidOf(studyInstanceUID, "instance", index),
      InstanceNumber: index + 1,
      SliceLocation: z,
      ImagePositionPatient: [-190, -176, z],
    };
    const bytes = rotated(slice.pixels, Math.floor(index / rendered.length));
    yield Uint8Array.from(
      writeInstance({
        transferSyntaxUID: EXPLICIT_LITTLE_ENDIAN,
        elements: { ...toElements(attributes, encode), [TagHex.PixelData]: { vr: "OW", bytes } },
      }),
    );
  }
}

const renderedBefore = new Map<string, ReturnType<typeof render>>();

function renderSlices(size: number, count: number): ReturnType<typeof render> {
  const key = `${size} ${count}`;
  const slices = renderedBefore.get(key) ?? render(size, count);
  renderedBefore.set(key, slices);
  return slices;
}

function render(size: number, count: number) {
  const plan = planCtChest({ seed: 1, size, instances: count });
  const [series] = plan.series;
  if (!series) throw new RangeError("the plan has no series");
  const rendered = Array.from({ length: count }, (_, index) => {
    const { attributes, pixels } = series.render(index);
    return { attributes, pixels: { ...pixels, samples: asReconstructed(pixels) } };
  });
  return { plan, series, rendered };
}

/** How a pixel and its neighbours on either side share in a reconstructed one. */
const KERNEL = { own: 3 / 5, beside: 1 / 5 };

/**
 * What a scanner makes of the phantom's white noise: noise of neighbours is alike, some 6 HU, and outside the circle that was
 * scanned there is nothing. So the slices take as much of the wire as those of a real CT, of which the lossless copy is 24 %.
 */
function asReconstructed({ samples, rows, columns }: Pixels): Int16Array {
  const mixed = (from: ArrayLike<number>, at: number, before: number, after: number) =>
    KERNEL.own * (from[at] ?? 0) + KERNEL.beside * ((from[before] ?? 0) + (from[after] ?? 0));
  const across = Float32Array.from(samples, (_, at) => {
    const column = at % columns;
    return mixed(samples, at, column === 0 ? at : at - 1, column === columns - 1 ? at : at + 1);
  });
  return Int16Array.from(across, (_, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns];
    if (Math.hypot(row - (rows - 1) / 2, column - (columns - 1) / 2) > columns / 2) return 0;
    const [before, after] = [row === 0 ? at : at - columns, row === rows - 1 ? at : at + columns];
    return Math.round(mixed(across, at, before, after));
  });
}

/** The samples with `rows` rows moved from the top to the bottom. */
function rotated({ samples, columns }: Pixels, rows: number): Uint8Array {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  const cut = (rows * columns * samples.BYTES_PER_ELEMENT) % bytes.length;
  return cut === 0 ? bytes : Buffer.concat([bytes.subarray(cut), bytes.subarray(0, cut)]);
}
