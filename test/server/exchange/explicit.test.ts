import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { parseFile } from "../../../src/server/dicom/parse-file.ts";
import { type DicomElements, writeInstance } from "../../../src/server/dicom/write-instance.ts";
import { findElement } from "../../../src/shared/dicom/reading/data-set.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { Tag, TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { encoders } from "../../support/dicom/compressed-pixels.ts";
import {
  EXPLICIT_BIG_ENDIAN,
  EXPLICIT_LITTLE_ENDIAN,
  IMPLICIT_LITTLE_ENDIAN,
  readTaken,
  SAMPLE_ELEMENTS,
  sampleWithout,
} from "../../support/dicom/dicom-sample.ts";
import { partsOf } from "../../support/dicom/parts-of.ts";
import { until } from "../../support/until.ts";
import { studyUID } from "../../support/zip/sample-zip.ts";

/* Instances and frames for clients that take nothing but Explicit VR Little Endian. */

const DEFLATED = "1.2.840.10008.1.2.1.99";
const RLE = "1.2.840.10008.1.2.5";
const JPEG = "1.2.840.10008.1.2.4.50";
const JPEG_2000 = "1.2.840.10008.1.2.4.90";
const MPEG_2 = "1.2.840.10008.1.2.4.100";
const WIDTH = 64;
const HEIGHT = 48;

const FRAMES = `multipart/related; type="application/octet-stream"; transfer-syntax=${EXPLICIT_LITTLE_ENDIAN}`;
const FILE = `application/dicom; transfer-syntax=${EXPLICIT_LITTLE_ENDIAN}`;
const FILES = `multipart/related; type="application/dicom"; transfer-syntax=${EXPLICIT_LITTLE_ENDIAN}`;

let t: TestApp;
let ana: Person;
let lab: Person;
beforeAll(async () => {
  t = await createTestApp();
  ana = await t.addPerson("Ana Nativa", { plan: "familia" });
  lab = await t.addPerson("Outra Conta", { plan: "familia" });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const us = (value: number) => ({ vr: "US", Value: [value] });
const ui = (value: string) => ({ vr: "UI", Value: [value] });

/** Twelve bits in words. */
const words = Uint16Array.from({ length: WIDTH * HEIGHT }, (_, at) => (at * 37) % 4096);
const wordBytes = new Uint8Array(words.buffer);
const grey: DicomElements = {
  [TagHex.Rows]: us(HEIGHT),
  [TagHex.Columns]: us(WIDTH),
  [TagHex.BitsStored]: us(12),
  [TagHex.HighBit]: us(11),
};
const colours = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, at) => {
  const pixel = Math.floor(at / 3);
  return Math.round(127 + 100 * Math.sin((pixel % WIDTH) / 21 + (at % 3) + Math.floor(pixel / WIDTH) / 17));
});
const colour: DicomElements = {
  ...grey,
  [TagHex.SamplesPerPixel]: us(3),
  [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["RGB"] },
  [TagHex.PlanarConfiguration]: us(0),
  [TagHex.BitsAllocated]: us(8),
  [TagHex.BitsStored]: us(8),
  [TagHex.HighBit]: us(7),
};

const encodeGrey = (syntax: string, samples = wordBytes) =>
  encoders[syntax]?.({ width: WIDTH, height: HEIGHT, bitsPerSample: 16, componentCount: 1, samples });
const encodeColour = (syntax: string) =>
  encoders[syntax]?.({ width: WIDTH, height: HEIGHT, bitsPerSample: 8, componentCount: 3, samples: colours });

const NO_PIXELS = sampleWithout(TagHex.PixelData);

let studies = 0;

/** Stores the files of one series; returns their addresses below it, and the series'. */
async function store(
  files: [transferSyntaxUID: string, elements: DicomElements][],
  as = ana,
  sample = SAMPLE_ELEMENTS,
) {
  const study = `77${++studies}`;
  const written = files.map(([transferSyntaxUID, elements], place) =>
    writeInstance({
      transferSyntaxUID,
      elements: {
        ...sample,
        [TagHex.StudyInstanceUID]: ui(studyUID(study)),
        [TagHex.SeriesInstanceUID]: ui(`2.25.2.${study}`),
        [TagHex.SOPInstanceUID]: ui(`2.25.3.${study}.${place + 1}`),
        [TagHex.InstanceNumber]: { vr: "IS", Value: [place + 1] },
        ...elements,
      },
    }),
  );
  await t.store(as, zipSync(Object.fromEntries(written.map((file, place) => [`${place}`, file]))));
  const path = `/dicomweb/studies/${studyUID(study)}/series/2.25.2.${study}`;
  return {
    study: `/dicomweb/studies/${studyUID(study)}`,
    path,
    first: `${path}/instances/2.25.3.${study}.1`,
  };
}

const get = (path: string, Accept: string, headers: Record<string, string> = {}, as: Person = ana) =>
  t.call("GET", path, { as, headers: { Accept, ...headers } });

function pixelsOf(file: Uint8Array) {
  const { file: parsed } = parseFile(memorySource(file));
  expect(parsed).toMatchObject({ transferSyntaxUID: EXPLICIT_LITTLE_ENDIAN, isPart10: true });
  expect(parsed.truncation).toBeUndefined();
  const { offset = 0, length = 0, vr } = findElement(parsed.dataSet, Tag.PixelData) ?? {};
  return { vr, bytes: Buffer.from(file.subarray(offset, offset + length)) };
}

function farthest(one: Uint8Array, other: Uint8Array): number {
  expect(one.length).toBe(other.length);
  return one.reduce((most, value, at) => Math.max(most, Math.abs(value - (other[at] ?? 0))), 0);
}

const LOSSLESS = Object.keys(encoders).filter((syntax) => syntax !== JPEG);

describe("an instance with encapsulated frames", () => {
  test.each(LOSSLESS)("in %s comes as native words, alone or in parts", async (syntax) => {
    const pixels = { vr: "OB", fragments: [(await encodeGrey(syntax)) ?? new Uint8Array()] };
    const { first } = await store([[syntax, { ...grey, [TagHex.PixelData]: pixels }]]);
    const file = await get(first, FILE);
    expect([file.status, file.headers.get("content-type")]).toEqual([200, "application/dicom"]);
    const bytes = await file.bytes();
    expect(file.headers.get("content-length")).toBe(String(bytes.length));
    expect(pixelsOf(bytes)).toEqual({ vr: "OW", bytes: Buffer.from(wordBytes) });
    const [part, ...others] = await partsOf(await get(first, FILES));
    expect(others).toEqual([]);
    expect(part?.contentType).toBe(`application/dicom; transfer-syntax=${EXPLICIT_LITTLE_ENDIAN}`);
    expect(new Uint8Array(part?.body ?? [])).toEqual(bytes);
    const [frame] = await partsOf(await get(`${first}/frames/1`, FRAMES));
    expect(frame?.contentType).toBe(`application/octet-stream; transfer-syntax=${EXPLICIT_LITTLE_ENDIAN}`);
    expect(new Uint8Array(frame?.body ?? [])).toEqual(wordBytes);
    const bare = await get(
      `${first}/frames/1`,
      `application/octet-stream; transfer-syntax=${EXPLICIT_LITTLE_ENDIAN}`,
    );
    expect(await bare.bytes()).toEqual(wordBytes);
  });

  test("says the same otherwise, but for how its samples lie and what its colours are", async () => {
    const fragments = [(await encodeColour(JPEG)) ?? new Uint8Array()];
    const named = { vr: "CS", Value: ["YBR_FULL_422"] };
    const elements = { ...colour, [TagHex.PhotometricInterpretation]: named };
    const { first } = await store([[JPEG, { ...elements, [TagHex.PixelData]: { vr: "OB", fragments } }]]);
    const [stored, written] = await Promise.all([get(first, "application/dicom"), get(first, FILE)]);
    const [before, after] = [await stored.bytes(), await written.bytes()];
    const [was, is] = [before, after].map((file) => readTaken(file).metadata);
    for (const tag of [
      TagHex.PixelData,
      TagHex.AvailableTransferSyntaxUID,
      TagHex.PhotometricInterpretation,
    ]) {
      delete was?.[tag];
      if (tag !== TagHex.PhotometricInterpretation) delete is?.[tag];
    }
    expect(is).toEqual({ ...was, [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["RGB"] } });
    expect(farthest(pixelsOf(after).bytes, colours)).toBeLessThan(12);
    // A frame comes with the metadata, which name other colours.
    const [frame] = await partsOf(await get(`${first}/frames/1`, FRAMES));
    expect(frame?.body.length).toBe((colours.length / 3) * 2);
  });

  test("of several frames has all of them, of which some may be asked for", async () => {
    const samples = [0, 1, 2].map((shift) => {
      const moved = words.map((value) => (value + shift * 100) % 4096);
      return new Uint8Array(moved.buffer);
    });
    const fragments: Uint8Array[] = [];
    for (const one of samples) fragments.push((await encodeGrey(JPEG_2000, one)) ?? new Uint8Array());
    const elements = {
      ...grey,
      [TagHex.NumberOfFrames]: { vr: "IS", Value: [3] },
      [TagHex.PixelData]: { vr: "OB", fragments },
    };
    const { first } = await store([[JPEG_2000, elements]]);
    const file = await (await get(first, FILE)).bytes();
    expect(pixelsOf(file).bytes).toEqual(Buffer.concat(samples));
    const frames = await partsOf(await get(`${first}/frames/3,1`, FRAMES));
    expect(frames.map(({ body }) => new Uint8Array(body))).toEqual([
      samples[2] ?? wordBytes,
      samples[0] ?? wordBytes,
    ]);
    expect((await get(`${first}/frames/3,1`, FRAMES.replace(/^.*"(.*)"/, "$1"))).status).toBe(406);
  });

  test("whose frame is large comes whole, and leaves no file behind", async () => {
    const side = 1_600;
    const samples = new Uint8Array(Uint16Array.from({ length: side * side }, (_, at) => at % 4096).buffer);
    const size = { width: side, height: side, bitsPerSample: 16, componentCount: 1 } as const;
    const fragments = [(await encoders[RLE]?.({ ...size, samples })) ?? new Uint8Array()];
    const elements = { ...grey, [TagHex.Rows]: us(side), [TagHex.Columns]: us(side) };
    const { first, path } = await store([
      [RLE, { ...elements, [TagHex.PixelData]: { vr: "OB", fragments } }],
    ]);
    const scratch = () => readdirSync(join(t.deps.config.dataDir, "scratch"));
    const before = scratch();
    expect(pixelsOf(await (await get(first, FILE)).bytes()).bytes.equals(samples)).toBe(true);
    for (const [address, accept] of [
      [first, FILES],
      [path, FILES],
      [`${first}/frames/1`, FRAMES],
    ] as const) {
      const [part] = await partsOf(await get(address, accept));
      expect([address, part?.body.subarray(-samples.length).equals(samples)]).toEqual([address, true]);
    }
    const left = await get(first, FILE);
    await left.body?.cancel();
    expect((await t.call("HEAD", first, { as: ana, headers: { Accept: FILE } })).status).toBe(200);
    await until(() => scratch().length === before.length);
  });

  test("has a version of its own in this syntax", async () => {
    const pixels = { vr: "OB", fragments: [(await encodeGrey(JPEG_2000)) ?? new Uint8Array()] };
    const { first } = await store([[JPEG_2000, { ...grey, [TagHex.PixelData]: pixels }]]);
    const etag = (await get(first, FILE)).headers.get("etag") ?? "";
    expect(etag).not.toBe((await get(first, "application/dicom")).headers.get("etag") ?? "");
    expect((await get(first, FILE, { "If-None-Match": etag })).status).toBe(304);
    expect((await get(first, "application/dicom", { "If-None-Match": etag })).status).toBe(200);
    const head = await t.call("HEAD", first, { as: ana, headers: { Accept: FILE } });
    expect([head.status, Number(head.headers.get("content-length"))]).toEqual([
      200,
      (await (await get(first, FILE)).bytes()).length,
    ]);
  });

  test("that can't be decoded is refused in this syntax, and comes as it is stored if the client takes that", async () => {
    const garbage = { vr: "OB", fragments: [new Uint8Array(64).fill(7)] };
    const [broken, film] = await Promise.all([
      store([[JPEG_2000, { ...grey, [TagHex.PixelData]: garbage }]]),
      store([[MPEG_2, { ...grey, [TagHex.PixelData]: garbage }]]),
    ]);
    for (const { first, path } of [broken, film]) {
      expect((await get(first, FILE)).status).toBe(406);
      const either = await get(first, `${FILE}, application/dicom; transfer-syntax=*`);
      expect(readTaken(await either.bytes()).transferSyntaxUID).not.toBe(EXPLICIT_LITTLE_ENDIAN);
      const [part] = await partsOf(await get(path, FILES));
      expect(part?.contentType).not.toContain(`=${EXPLICIT_LITTLE_ENDIAN}`);
    }
    expect((await get(`${broken.first}/frames/1`, FRAMES)).status).toBe(406);
    const frame = await get(`${broken.first}/frames/1`, `${FRAMES}, multipart/related; type="image/jp2"`);
    expect((await partsOf(frame))[0]?.contentType).toStartWith("image/jp2");
  });

  test("is none for another account", async () => {
    const pixels = { vr: "OB", fragments: [(await encodeGrey(JPEG_2000)) ?? new Uint8Array()] };
    const { first, path, study } = await store([[JPEG_2000, { ...grey, [TagHex.PixelData]: pixels }]]);
    for (const [address, Accept] of [
      [first, FILE],
      [path, FILES],
      [study, FILES],
      [`${first}/frames/1`, FRAMES],
    ] as const)
      expect([address, (await get(address, Accept, {}, lab)).status]).toEqual([address, 404]);
  });
});

describe("an instance in another syntax of native pixels", () => {
  const native = { ...grey, [TagHex.PixelData]: { vr: "OW", bytes: wordBytes } };

  test.each([IMPLICIT_LITTLE_ENDIAN, EXPLICIT_BIG_ENDIAN, DEFLATED])("%s is written anew", async (syntax) => {
    // The sample's bytes are those of the file.
    const bytes = syntax === EXPLICIT_BIG_ENDIAN ? Buffer.from(wordBytes).swap16() : wordBytes;
    const { first } = await store([[syntax, { ...native, [TagHex.PixelData]: { vr: "OW", bytes } }]]);
    const file = await get(first, FILE);
    expect(pixelsOf(await file.bytes())).toEqual({ vr: "OW", bytes: Buffer.from(wordBytes) });
  });

  test.each([IMPLICIT_LITTLE_ENDIAN, DEFLATED])("%s without pixels is written anew", async (syntax) => {
    const title = { "00420010": { vr: "ST", Value: ["Laudo nº 1"] } };
    const { first } = await store([[syntax, title]], ana, NO_PIXELS);
    const file = await (await get(first, FILE)).bytes();
    const { metadata, transferSyntaxUID } = readTaken(file);
    expect(transferSyntaxUID).toBe(EXPLICIT_LITTLE_ENDIAN);
    expect(metadata["00420010"]?.Value).toEqual(["Laudo nº 1"]);
  });
});

describe("a data set of some megabytes without pixels, such as contours", () => {
  const contour = { "30060050": { vr: "DS", Value: Array.from({ length: 6_000 }, (_, at) => at / 100) } };
  const contours = (count: number) => ({
    "30060039": { vr: "SQ", Value: [{ "30060040": { vr: "SQ", Value: Array(count).fill(contour) } }] },
  });

  test("is written anew, alone and in a series", async () => {
    const { first, path } = await store([[IMPLICIT_LITTLE_ENDIAN, contours(60)]], ana, NO_PIXELS);
    const stored = readTaken(await (await get(first, "application/dicom")).bytes());
    const file = await get(first, FILE);
    expect(file.status).toBe(200);
    const bytes = await file.bytes();
    expect(bytes.length).toBeGreaterThan(1_500_000);
    const parts = await partsOf(await get(path, FILES));
    for (const written of [bytes, parts[0]?.body ?? new Uint8Array()]) {
      const { metadata, transferSyntaxUID } = readTaken(written);
      expect(transferSyntaxUID).toBe(EXPLICIT_LITTLE_ENDIAN);
      expect(metadata["30060039"]).toEqual(stored.metadata["30060039"]);
    }
  });

  test("is sent piece by piece, so that a client that takes nothing more is known", async () => {
    const { first } = await store([[IMPLICIT_LITTLE_ENDIAN, contours(60)]], ana, NO_PIXELS);
    const body = (await get(first, FILE)).body?.getReader();
    const piece = await body?.read();
    expect(piece?.value?.length).toBeLessThan(500_000);
    await body?.cancel();
  });

  test("has its big-endian words in the other order, of each length, whatever is left at their end", async () => {
    const bytes = (length: number) => Uint8Array.from({ length }, (_, at) => at % 251);
    const words = { "54001010": ["OW", 2], "00660016": ["OF", 4], "00189820": ["OD", 8] } as const;
    const lengths = { OW: 3_000_002, OF: 600_004, OD: 80_004 };
    const elements = Object.fromEntries(
      Object.entries(words).map(([tag, [vr]]) => [tag, { vr, bytes: bytes(lengths[vr]) }]),
    );
    const { first } = await store([[EXPLICIT_BIG_ENDIAN, elements]], ana, NO_PIXELS);
    const stored = Buffer.from(await (await get(first, "application/dicom")).bytes());
    const file = Buffer.from(await (await get(first, FILE)).bytes());
    for (const [tag, [vr, width]] of Object.entries(words)) {
      const header = (write: "writeUInt16LE" | "writeUInt16BE", wide: "writeUInt32LE" | "writeUInt32BE") => {
        const head = Buffer.alloc(12);
        head[write](Number.parseInt(tag.slice(0, 4), 16), 0);
        head[write](Number.parseInt(tag.slice(4), 16), 2);
        head.write(vr, 4, "latin1");
        head[wide](lengths[vr], 8);
        return head;
      };
      const before = stored.indexOf(header("writeUInt16BE", "writeUInt32BE"));
      const behind = file.indexOf(header("writeUInt16LE", "writeUInt32LE"));
      expect([before, behind].every((at) => at > 0)).toBe(true);
      const value = stored.subarray(before + 12, before + 12 + lengths[vr]);
      for (let at = 0; at + width <= value.length; at += width) value.subarray(at, at + width).reverse();
      expect(file.subarray(behind + 12, behind + 12 + lengths[vr]).equals(value)).toBe(true);
    }
  });

  test("holds one of the account's two places until it is sent, and for HEAD or a refusal none", async () => {
    const { first } = await store([[IMPLICIT_LITTLE_ENDIAN, contours(60)]], ana, NO_PIXELS);
    const { first: tooMany } = await store(
      [[IMPLICIT_LITTLE_ENDIAN, { "30060039": { vr: "SQ", Value: Array(140_000).fill({}) } }]],
      ana,
      NO_PIXELS,
    );
    for (let times = 0; times < 3; times++) {
      expect((await get(tooMany, FILE)).status).toBe(406);
      expect((await t.call("HEAD", first, { as: ana, headers: { Accept: FILE } })).status).toBe(200);
    }
    const [one, two] = [await get(first, FILE), await get(first, FILE)];
    const third = await get(first, FILE);
    expect([one.status, two.status, third.status]).toEqual([200, 200, 503]);
    expect(third.headers.get("Retry-After")).toBeTruthy();
    await one.body?.cancel();
    expect((await two.bytes()).length).toBeGreaterThan(1_500_000);
    expect((await get(first, FILE)).status).toBe(200);
  });
});

test("each part of files and frames says where it is, in this syntax as in the stored one", async () => {
  const fragments = [
    (await encodeGrey(JPEG_2000)) ?? new Uint8Array(),
    (await encodeGrey(JPEG_2000)) ?? new Uint8Array(),
  ];
  const two = { [TagHex.NumberOfFrames]: { vr: "IS", Value: [2] } };
  const native = { vr: "OW", bytes: new Uint8Array(2 * wordBytes.length) };
  const { study, path, first } = await store([
    [JPEG_2000, { ...grey, ...two, [TagHex.PixelData]: { vr: "OB", fragments } }],
    [EXPLICIT_BIG_ENDIAN, { ...grey, ...two, [TagHex.PixelData]: native }],
  ]);
  const second = first.replace(/1$/, "2");
  const locationsOf = async (address: string, accept: string) =>
    (await partsOf(await get(address, accept))).map(({ location }) =>
      location.replace(/^https?:..[^/]+/, ""),
    );
  for (const syntax of [EXPLICIT_LITTLE_ENDIAN, "*"]) {
    const files = FILES.replace(EXPLICIT_LITTLE_ENDIAN, syntax);
    const frames = FRAMES.replace(EXPLICIT_LITTLE_ENDIAN, syntax);
    for (const address of [study, path]) expect(await locationsOf(address, files)).toEqual([first, second]);
    for (const one of [first, second]) {
      expect(await locationsOf(one, files)).toEqual([one]);
      expect(await locationsOf(`${one}/frames/1`, frames)).toEqual([`${one}/frames/1`]);
      expect(await locationsOf(`${one}/frames/2,1`, frames)).toEqual([`${one}/frames/2`, `${one}/frames/1`]);
    }
  }
});

test("a series and a study come whole in this syntax, what is stored so bit for bit", async () => {
  const pixels = { vr: "OB", fragments: [(await encodeGrey(JPEG_2000)) ?? new Uint8Array()] };
  const native = { ...grey, [TagHex.PixelData]: { vr: "OW", bytes: wordBytes } };
  const { path, study, first } = await store([
    [EXPLICIT_LITTLE_ENDIAN, native],
    [JPEG_2000, { ...grey, [TagHex.PixelData]: pixels }],
    [IMPLICIT_LITTLE_ENDIAN, native],
  ]);
  const stored = await (await get(first, "application/dicom")).bytes();
  for (const address of [path, study]) {
    const parts = await partsOf(await get(address, FILES));
    expect(parts.map(({ contentType }) => contentType)).toEqual(
      Array.from({ length: 3 }, () => `application/dicom; transfer-syntax=${EXPLICIT_LITTLE_ENDIAN}`),
    );
    expect(new Uint8Array(parts[0]?.body ?? [])).toEqual(stored);
    for (const { body } of parts) expect(pixelsOf(body).bytes).toEqual(Buffer.from(wordBytes));
  }
});
