import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import dicomParser, { type DataSet } from "dicom-parser";
import { DEMO_PATIENTS } from "../../scripts/demo/phantom/patients.ts";
import {
  type GeneratedInstance,
  generateStudy,
  STUDY_KINDS,
  TRANSFER_SYNTAX,
} from "../../scripts/demo/phantom/study.ts";
import { parserTag } from "../../src/client/features/upload/read-dicom/parse-head.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const SMALL = { seed: 7, size: 32, instances: 3, frames: 3 } as const;

function parse(bytes: Uint8Array): DataSet {
  return dicomParser.parseDicom(bytes, {
    // dicom-parser passes the whole file and the offset of the deflated part.
    inflater: (whole: Uint8Array, position: number) =>
      Buffer.concat([whole.subarray(0, position), inflateRawSync(whole.subarray(position))]),
  });
}

function samplesOf(instance: GeneratedInstance): Int16Array | Uint16Array | Uint8Array {
  const dataSet = parse(instance.bytes);
  const element = dataSet.elements.x7fe00010;
  if (!element) throw new Error("no pixel data");
  const bytes = new Uint8Array(
    dataSet.byteArray.subarray(element.dataOffset, element.dataOffset + element.length),
  );
  if (dataSet.uint16(parserTag("BitsAllocated")) === 8) return bytes;
  return dataSet.uint16(parserTag("PixelRepresentation")) === 1
    ? new Int16Array(bytes.buffer)
    : new Uint16Array(bytes.buffer);
}

function numbers(dataSet: DataSet, tag: string): number[] {
  return (dataSet.string(tag) ?? "").split("\\").map(Number);
}

function series(instances: readonly GeneratedInstance[], seriesNumber: number): GeneratedInstance[] {
  return instances.filter(({ attributes }) => attributes.seriesNumber === seriesNumber);
}

describe.each(STUDY_KINDS)("%s", (kind) => {
  test.each(Object.entries(TRANSFER_SYNTAX))("is valid DICOM in %s", (_, transferSyntaxUID) => {
    const instances = [...generateStudy({ ...SMALL, kind, transferSyntaxUID })];
    expect(instances.length).toBeGreaterThan(0);
    for (const { bytes, attributes } of instances) {
      const dataSet = parse(bytes);
      expect(dataSet.string(parserTag("TransferSyntaxUID"))).toBe(transferSyntaxUID);
      expect(dataSet.string(parserTag("SOPClassUID"))).toBe(attributes.sopClassUID);
      expect(dataSet.string(parserTag("SOPInstanceUID"))).toBe(attributes.sopInstanceUID);
      expect(dataSet.string(parserTag("StudyInstanceUID"))).toBe(attributes.studyInstanceUID);
      expect(dataSet.string(parserTag("SeriesInstanceUID"))).toBe(attributes.seriesInstanceUID);
      expect(dataSet.uint16(parserTag("Rows"))).toBe(attributes.rows);
      expect(dataSet.uint16(parserTag("Columns"))).toBe(attributes.columns);
      expect(dataSet.string(parserTag("Modality"))).toBe(attributes.modality);
      const element = dataSet.elements.x7fe00010;
      const { rows, columns, numberOfFrames } = attributes;
      const bytesPerPixel =
        ((dataSet.uint16(parserTag("SamplesPerPixel")) ?? 0) *
          (dataSet.uint16(parserTag("BitsAllocated")) ?? 0)) /
        8;
      if (transferSyntaxUID === TRANSFER_SYNTAX.rleLossless) {
        expect(element?.fragments).toHaveLength(numberOfFrames);
      } else {
        const length = rows * columns * numberOfFrames * bytesPerPixel;
        expect(element?.length).toBe(length + (length % 2));
      }
    }
  });

  test.skipIf(!Bun.which("dciodvfy"))(
    "has what its kind of image must have, as dciodvfy knows it",
    async () => {
      await using folder = createTempFolder();
      for (const [index, { bytes }] of [...generateStudy({ ...SMALL, kind })].entries()) {
        const path = join(folder.path, `${index}.dcm`);
        await Bun.write(path, bytes);
        const { stdout, stderr } = Bun.spawnSync(["dciodvfy", "-new", path], { timeout: 20_000 });
        expect(`${stdout}${stderr}`.split("\n").filter((line) => line.startsWith("Error"))).toEqual([]);
      }
    },
  );

  test("is the same bytes for the same seed, and other bytes for another", () => {
    const first = [...generateStudy({ ...SMALL, kind })].map(({ bytes }) => Bun.hash(bytes));
    const again = [...generateStudy({ ...SMALL, kind })].map(({ bytes }) => Bun.hash(bytes));
    const other = [...generateStudy({ ...SMALL, kind, seed: 8 })].map(({ bytes }) => Bun.hash(bytes));
    expect(again).toEqual(first);
    expect(other.some((hash) => first.includes(hash))).toBe(false);
  });

  test("has UIDs and file names that are its own", () => {
    const instances = [...generateStudy({ ...SMALL, kind })];
    expect(new Set(instances.map(({ attributes }) => attributes.sopInstanceUID)).size).toBe(instances.length);
    expect(new Set(instances.map(({ fileName }) => fileName)).size).toBe(instances.length);
    for (const { attributes } of instances) {
      for (const uid of [
        attributes.studyInstanceUID,
        attributes.seriesInstanceUID,
        attributes.sopInstanceUID,
      ]) {
        expect(uid).toMatch(/^2\.25\.[1-9][0-9]{20,38}$/);
      }
    }
  });

  test("stores only values that fit its bits", () => {
    for (const instance of generateStudy({ ...SMALL, kind, size: 64 })) {
      const dataSet = parse(instance.bytes);
      const bits = dataSet.uint16(parserTag("BitsStored")) ?? 0;
      const signed = dataSet.uint16(parserTag("PixelRepresentation")) === 1;
      const [low, high] = signed ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
      const samples = samplesOf(instance);
      expect(samples.every((value) => value >= low && value <= high)).toBe(true);
      expect(new Set(samples).size).toBeGreaterThan(8);
    }
  });
});

test("a head CT has dark air, a bright skull and a brain between them", () => {
  const size = 128;
  const axial = series([...generateStudy({ kind: "ct-head", seed: 3, size, instances: 9 })], 2);
  const slice = axial[4];
  if (!slice) throw new Error("no middle slice");
  const hu = Array.from(samplesOf(slice), (value) => value - 1024);
  const corner = hu.slice(0, 8);
  const middle = hu.filter((_, i) => {
    const [x, y] = [(i % size) - size / 2, Math.floor(i / size) - size / 2];
    return Math.abs(Math.abs(x) - 14) < 3 && Math.abs(y + 2) < 6;
  });
  expect(Math.max(...corner)).toBeLessThan(-950);
  expect(Math.max(...hu)).toBeGreaterThan(900);
  const brain = middle.reduce((sum, value) => sum + value, 0) / middle.length;
  expect(brain).toBeGreaterThan(15);
  expect(brain).toBeLessThan(50);
  const skull = hu.filter((value) => value > 300).length / hu.length;
  expect(skull).toBeGreaterThan(0.03);
  expect(skull).toBeLessThan(0.2);
});

test("a chest CT has lungs full of air between solid walls", () => {
  const size = 96;
  const [slice] = [...generateStudy({ kind: "ct-chest", seed: 3, size, instances: 1 })];
  if (!slice) throw new Error("no slice");
  const hu = Array.from(samplesOf(slice), (value) => value - 1024);
  const share = (low: number, high: number) => hu.filter((v) => v > low && v < high).length / hu.length;
  expect(share(-950, -700)).toBeGreaterThan(0.1);
  expect(share(-150, 150)).toBeGreaterThan(0.1);
  expect(share(250, 4000)).toBeGreaterThan(0.005);
});

test("the ventricles are bright in T2 and dark in T1 and FLAIR", () => {
  const size = 128;
  const instances = [...generateStudy({ kind: "mr-head", seed: 3, size, instances: 1 })];
  const atVentricle = [1, 2, 3].map((number) => {
    const samples = series(instances, number).map(samplesOf)[0];
    const column = Math.round((8.5 / 220 + 0.5) * size);
    const row = Math.round((-26 / 220 + 0.5) * size);
    return samples?.[row * size + column] ?? 0;
  });
  expect(atVentricle[1]).toBeGreaterThan(500);
  expect(atVentricle[0]).toBeLessThan(300);
  expect(atVentricle[2]).toBeLessThan(300);
});

test("a heart beats from frame to frame inside a dark surround", () => {
  const [cine] = [...generateStudy({ kind: "us-heart", seed: 3, size: 64, frames: 4 })];
  if (!cine) throw new Error("no cine loop");
  const { rows, columns } = cine.attributes;
  const frames = Array.from({ length: 4 }, (_, i) =>
    samplesOf(cine).slice(i * rows * columns, (i + 1) * rows * columns),
  );
  expect(new Set(frames.map((frame) => Bun.hash(frame))).size).toBe(4);
  for (const frame of frames) expect(frame[0]).toBe(0);
});

test("slices of a series lie one above the other in one space", () => {
  const instances = [...generateStudy({ ...SMALL, kind: "ct-head", instances: 5 })];
  const dataSets = series(instances, 2).map(({ bytes }) => parse(bytes));
  const heights = dataSets.map((dataSet) => numbers(dataSet, "x00200032")[2] ?? Number.NaN);
  const spacing = Number(dataSets[0]?.string("x00180088"));
  for (const [i, height] of heights.entries()) expect(height).toBeCloseTo((heights[0] ?? 0) + i * spacing, 2);
  expect(new Set(instances.map(({ bytes }) => parse(bytes).string("x00200052"))).size).toBe(1);
  for (const dataSet of dataSets) {
    expect(numbers(dataSet, "x00200037")).toEqual([1, 0, 0, 0, 1, 0]);
    expect(numbers(dataSet, parserTag("PixelSpacing"))).toEqual([220 / 32, 220 / 32]);
  }
});

test("big-endian pixels are the little-endian ones with swapped bytes", () => {
  const bytesIn = (transferSyntaxUID: (typeof TRANSFER_SYNTAX)[keyof typeof TRANSFER_SYNTAX]): Buffer => {
    const [instance] = [...generateStudy({ ...SMALL, kind: "cr-chest", transferSyntaxUID })];
    const dataSet = parse(instance?.bytes ?? new Uint8Array());
    const element = dataSet.elements.x7fe00010;
    const start = element?.dataOffset ?? 0;
    return Buffer.from(dataSet.byteArray.slice(start, start + (element?.length ?? 0)));
  };
  const little = bytesIn(TRANSFER_SYNTAX.explicitLittleEndian);
  expect(bytesIn(TRANSFER_SYNTAX.explicitBigEndian).swap16()).toEqual(little);
});

describe("a patient's name survives its character set", () => {
  const nameBytes = (patient: (typeof DEMO_PATIENTS)[keyof typeof DEMO_PATIENTS]): Uint8Array => {
    const [instance] = [...generateStudy({ ...SMALL, kind: "cr-chest", patient })];
    const dataSet = parse(instance?.bytes ?? new Uint8Array());
    const element = dataSet.elements.x00100010;
    return dataSet.byteArray.slice(element?.dataOffset, (element?.dataOffset ?? 0) + (element?.length ?? 0));
  };

  test("in Latin-1", () => {
    expect(new TextDecoder("latin1").decode(nameBytes(DEMO_PATIENTS.joao)).trim()).toBe(
      "Gonçalves^João Antônio",
    );
  });

  test("in UTF-8", () => {
    expect(new TextDecoder().decode(nameBytes(DEMO_PATIENTS.conceicao)).trim()).toBe(
      "Assunção^Maria da Conceição",
    );
  });

  test("in Japanese with escapes, every component back in ASCII", () => {
    const bytes = nameBytes(DEMO_PATIENTS.taro);
    expect(new TextDecoder("iso-2022-jp").decode(bytes).trim()).toBe("Yamada^Taro=山田^太郎=やまだ^たろう");
    expect(Buffer.from(bytes).toString("latin1").trimEnd()).toEndWith("\x1b(B");
    expect(Buffer.from(bytes).toString("latin1")).toContain("=\x1b$B;3ED\x1b(B^\x1b$BB@O:\x1b(B=");
  });
});

test("a study of thousands yields its first instance without computing the rest", () => {
  // All of them would take longer than the test may.
  const study = generateStudy({ kind: "ct-head", seed: 1, size: 512, instances: 5000 });
  expect(study.next().value?.attributes.instanceNumber).toBe(1);
});

test.each([{ size: 4 }, { size: 32.5 }, { size: 100_000 }, { instances: 0 }, { frames: 1_000_000 }])(
  "a study out of bounds is refused: %p",
  (wrong) => {
    expect(() => generateStudy({ kind: "ct-head", seed: 1, ...wrong }).next()).toThrow(RangeError);
  },
);
