import { readFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { encoders } from "./compressed-pixels.ts";
import { sampleFile } from "./dicom-sample.ts";
import { instanceInSeries } from "./instance-in-series.ts";

/** A series of the study, in its order. */
export interface CodecSeries {
  name: string;
  /** The first series with the same picture, and how far lossy compression may take it from that, in grey levels. */
  like: number;
  within: number;
}

const STUDY = "2.25.4343";
const SIDE = 96;
const FRAMES = 4;
const FIRST_NUMBER = 10;

const NATIVE = ["1.2.840.10008.1.2.1", "1.2.840.10008.1.2", "1.2.840.10008.1.2.2", "1.2.840.10008.1.2.1.99"];
const LOSSY_SAMPLES = new Set(["50", "51", "53", "55"]);
const SAMPLES = process.env.DICOM_SAMPLES;
const CT = "cornerstoneWADOImageLoader/testImages/CTImage.dcm";
const REAL: [suffix: string, syntax: string][] = [
  ["JPEGProcess2_4TransferSyntax", "51"],
  ["JPEGProcess6_8TransferSyntax", "53"],
  ["JPEGProcess10_12TransferSyntax", "55"],
  ["JPEGProcess14TransferSyntax", "57"],
  ["JPEGProcess14SV1TransferSyntax", "70"],
  ["JPEGLSLossyTransferSyntax", "81"],
  ["JPEG2000TransferSyntax", "91"],
];

const us = (value: number) => ({ vr: "US", Value: [value] });
const ui = (value: string) => ({ vr: "UI", Value: [value] });

/** Rings around a place, so that a turned or shifted picture differs. */
function rings(shift = 0): Uint8Array {
  return Uint8Array.from({ length: SIDE * SIDE }, (_, at) => {
    const [x, y] = [(at % SIDE) - 34 - shift, Math.floor(at / SIDE) - 60];
    return Math.round(128 + 110 * Math.cos(Math.hypot(x, y) / 7));
  });
}

function elementsOf(number: number, name: string, pixelData: DicomElements[string]): DicomElements {
  return {
    [TagHex.StudyInstanceUID]: ui(STUDY),
    [TagHex.SeriesInstanceUID]: ui(`${STUDY}.${number}`),
    [TagHex.SOPInstanceUID]: ui(`${STUDY}.${number}.1`),
    [TagHex.SeriesNumber]: { vr: "IS", Value: [number] },
    [TagHex.SeriesDescription]: { vr: "LO", Value: [name] },
    [TagHex.Rows]: us(SIDE),
    [TagHex.Columns]: us(SIDE),
    [TagHex.BitsAllocated]: us(8),
    [TagHex.BitsStored]: us(8),
    [TagHex.HighBit]: us(7),
    [TagHex.PixelData]: pixelData,
  };
}

/** One study with a series for each transfer syntax that can be written here, and a film; with real samples, for all others too. */
export async function codecStudy(): Promise<{ zip: Uint8Array; series: CodecSeries[] }> {
  const files: [string, Uint8Array][] = [];
  const series: CodecSeries[] = [];
  const add = (file: (number: number) => Uint8Array, described: CodecSeries) => {
    files.push([`${files.length}.dcm`, file(FIRST_NUMBER + files.length)]);
    series.push(described);
  };
  for (const transferSyntaxUID of NATIVE) {
    const name = `Nativo ${transferSyntaxUID}`;
    const pixels = { vr: "OB", bytes: rings() };
    add((number) => sampleFile(elementsOf(number, name, pixels), { transferSyntaxUID }), {
      ...{ name, like: 0, within: 0 },
    });
  }
  for (const [transferSyntaxUID, encode] of Object.entries(encoders)) {
    const name = `Comprimido ${transferSyntaxUID}`;
    const frame = { width: SIDE, height: SIDE, componentCount: 1, samples: rings() } as const;
    const pixels = { vr: "OB", fragments: [await encode({ ...frame, bitsPerSample: 8 })] };
    const isLossy = transferSyntaxUID.endsWith("4.50");
    add((number) => sampleFile(elementsOf(number, name, pixels), { transferSyntaxUID }), {
      ...{ name, like: 0, within: isLossy ? 6 : 0 },
    });
  }
  const frames = Buffer.concat(Array.from({ length: FRAMES }, (_, at) => rings(at * 9)));
  add(
    (number) =>
      sampleFile({
        ...elementsOf(number, "Filme", { vr: "OB", bytes: frames }),
        [TagHex.NumberOfFrames]: { vr: "IS", Value: [FRAMES] },
      }),
    { name: "Filme", like: files.length, within: 0 },
  );
  if (SAMPLES) {
    const first = files.length;
    const real = (file: string) => (seriesNumber: number) =>
      instanceInSeries(readFileSync(join(SAMPLES, file)), { studyInstanceUID: STUDY, seriesNumber });
    add(real(CT), { name: "CT", like: first, within: 0 });
    for (const [suffix, syntax] of REAL) {
      const within = LOSSY_SAMPLES.has(syntax) ? 6 : 1;
      const file = `${CT}_${suffix}_1.2.840.10008.1.2.4.${syntax}.dcm`;
      add(real(file), { name: syntax, like: first, within });
    }
  }
  return { zip: zipSync(Object.fromEntries(files), { level: 0 }), series };
}
