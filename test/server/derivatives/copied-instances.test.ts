import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { parseFile } from "../../../src/server/dicom/parse-file.ts";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { makeDerivatives } from "../../../src/server/features/derivatives/make-derivatives.ts";
import { readCodec } from "../../../src/server/features/thumbnails/worker/read-codec.ts";
import { derivativeQueue } from "../../../src/server/holdings/holding-queues.ts";
import { findElement } from "../../../src/shared/dicom/reading/data-set.ts";
import type { DicomJson } from "../../../src/shared/dicom/reading/instance.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { Tag, TagHex } from "../../../src/shared/dicom/tags.ts";
import { createCodecs } from "../../../src/shared/pixels/wasm-codec.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { encoders } from "../../support/dicom/compressed-pixels.ts";
import { readTaken, sampleFile } from "../../support/dicom/dicom-sample.ts";
import { sliceElements, sliceSamples } from "../../support/dicom/noisy-slices.ts";
import { studyUID } from "../../support/zip/sample-zip.ts";

const HTJ2K = "1.2.840.10008.1.2.4.202";
const codecs = createCodecs(readCodec);
const FRAMES = 10;

let t: TestApp;
let owner: Person;
beforeAll(async () => {
  t = await createTestApp({ env: { DERIVATIVES: "on" } });
  owner = await t.addPerson("Dona dos Arquivos", { plan: "familia" });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const us = (value: number) => ({ vr: "US", Value: [value] });
const ui = (value: string) => ({ vr: "UI", Value: [value] });
const instancePath = (study: string) =>
  `/dicomweb/studies/${studyUID(study)}/series/2.25.2.${study}/instances/2.25.3.${study}`;
const named = (syntax = HTJ2K) => `application/dicom; transfer-syntax=${syntax}`;
const related = `multipart/related; type="application/dicom"; transfer-syntax=${HTJ2K}`;

/** Stores an instance of ten frames and makes their copy; returns its file. */
async function store(
  study: string,
  transferSyntaxUID: string,
  elements: DicomElements,
  { isCopied = true } = {},
): Promise<Uint8Array> {
  const file = sampleFile(
    {
      [TagHex.StudyInstanceUID]: ui(studyUID(study)),
      [TagHex.SeriesInstanceUID]: ui(`2.25.2.${study}`),
      [TagHex.SOPInstanceUID]: ui(`2.25.3.${study}`),
      [TagHex.NumberOfFrames]: { vr: "IS", Value: [FRAMES] },
      ...elements,
    },
    { transferSyntaxUID },
  );
  const { studies } = await t.store(owner, zipSync({ IM: file }, { level: 0 }));
  await t.deps.jobs.empty(derivativeQueue);
  await t.settle();
  if (isCopied) await makeDerivatives(t.deps, studies[0]?.id ?? "", new AbortController().signal);
  return file;
}

const get = (path: string, headers: Record<string, string>, method = "GET") =>
  t.call(method, path, { as: owner, headers });

/** The samples of each frame as the file has them, found by its Basic Offset Table. */
async function framesOf(file: Uint8Array): Promise<number[][]> {
  const { reader, file: parsed } = parseFile(memorySource(file));
  const [table, ...items] = findElement(parsed.dataSet, Tag.PixelData)?.fragments ?? [];
  const [tableOffset = 0, tableLength = 0] = table ?? [];
  expect(tableLength).toBe(4 * items.length);
  const firstItem = (items[0]?.[0] ?? 0) - 8;
  const frames = [];
  for (const [place, [offset, length]] of items.entries()) {
    expect(reader.u32(tableOffset + 4 * place, true)).toBe(offset - 8 - firstItem);
    expect(length % 2).toBe(0);
    const { samples } = await codecs.decode("htJpeg2000", file.subarray(offset, offset + length));
    frames.push(Array.from(samples));
  }
  return frames;
}

function attributesOf(file: Uint8Array): DicomJson {
  const json: DicomJson = JSON.parse(JSON.stringify(readTaken(file).metadata));
  delete json[TagHex.AvailableTransferSyntaxUID];
  return json;
}

/** Ten frames of 12 bits in words, signed. */
const slices = Array.from({ length: FRAMES }, (_, seed) => Array.from(sliceSamples(seed)));
const words = (isLittle: boolean) => {
  const bytes = Buffer.concat(slices.map((slice) => Buffer.from(Int16Array.from(slice).buffer)));
  return isLittle ? bytes : bytes.swap16();
};
/** Ten frames in colour, by pixel, 191 × 257. */
const WIDTH = 191;
const HEIGHT = 257;
const pictures = Array.from({ length: FRAMES }, (_, frame) =>
  Array.from({ length: WIDTH * HEIGHT * 3 }, (_, at) => {
    const [pixel, colour] = [Math.floor(at / 3), at % 3];
    return Math.round(
      127 + 120 * Math.sin((pixel % WIDTH) / (9 + colour) + Math.floor(pixel / WIDTH) / 31 + frame),
    );
  }),
);
const byPlane = (picture: number[]) =>
  [0, 1, 2].flatMap((colour) => picture.filter((_, at) => at % 3 === colour));
const colour: DicomElements = {
  [TagHex.Rows]: us(HEIGHT),
  [TagHex.Columns]: us(WIDTH),
  [TagHex.SamplesPerPixel]: us(3),
  [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["RGB"] },
  [TagHex.PlanarConfiguration]: us(1),
  [TagHex.BitsAllocated]: us(8),
  [TagHex.BitsStored]: us(8),
  [TagHex.HighBit]: us(7),
};

describe("a whole instance in the syntax of its copy", () => {
  test.each([
    ["1.2.840.10008.1.2.1", "1", true],
    ["1.2.840.10008.1.2", "2", true],
    ["1.2.840.10008.1.2.2", "3", false],
    ["1.2.840.10008.1.2.1.99", "6", true],
  ])("has the pixels and attributes of an instance of %s", async (syntax, study, isLittle) => {
    const stored = await store(study, syntax, {
      ...sliceElements(0),
      [TagHex.PixelData]: { vr: "OW", bytes: words(isLittle) },
    });
    const answer = await get(instancePath(study), { accept: named() });
    const type = `application/dicom; transfer-syntax=${HTJ2K}`;
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, type]);
    const file = await answer.bytes();
    expect(answer.headers.get("content-length")).toBe(String(file.length));
    expect(await framesOf(file)).toEqual(slices);
    expect(attributesOf(file)).toEqual({ ...attributesOf(stored), [TagHex.PixelData]: expect.anything() });
    expect(readTaken(file).transferSyntaxUID).toBe(HTJ2K);
    expect(file.length).toBeLessThan(stored.length);
  });

  test("has colours by pixel, from planes and from RLE", async () => {
    const { "1.2.840.10008.1.2.5": rle } = encoders;
    await store("4", "1.2.840.10008.1.2.1", {
      ...colour,
      [TagHex.PixelData]: { vr: "OB", bytes: Uint8Array.from(pictures.flatMap(byPlane)) },
    });
    const info = { width: WIDTH, height: HEIGHT, bitsPerSample: 8, componentCount: 3 } as const;
    const fragments = await Promise.all(
      pictures.map(async (picture) => await rle?.({ ...info, samples: Uint8Array.from(picture) })),
    );
    await store("5", "1.2.840.10008.1.2.5", {
      ...colour,
      [TagHex.PixelData]: { vr: "OB", fragments: fragments.flatMap((one) => one ?? []) },
    });
    for (const study of ["4", "5"]) {
      const file = await (await get(instancePath(study), { accept: named() })).bytes();
      expect(await framesOf(file)).toEqual(pictures);
      expect(attributesOf(file)[TagHex.PlanarConfiguration]?.Value).toEqual([0]);
      // Of the code streams (PS3.5 §8.2.4), which a decoder turns back to red, green and blue.
      expect(attributesOf(file)[TagHex.PhotometricInterpretation]?.Value).toEqual(["YBR_RCT"]);
    }
  });

  test("is a file to DCMTK", async () => {
    if (!Bun.which("dcmftest") || !Bun.which("dcmdump")) return;
    const file = join(mkdtempSync(join(tmpdir(), "copied-")), "IM");
    for (const study of ["1", "2", "3", "4", "6"]) {
      writeFileSync(file, await (await get(instancePath(study), { accept: named() })).bytes());
      expect(Bun.spawnSync(["dcmftest", file]).stdout.toString()).toStartWith("yes");
      const { stdout, stderr, exitCode } = Bun.spawnSync(["dcmdump", "-q", file]);
      expect([exitCode, stderr.toString()]).toEqual([0, ""]);
      expect(stdout.toString()).toContain(`(0008,0018) UI [2.25.3.${study}]`);
      expect(stdout.toString()).toContain(`PixelSequence #=${FRAMES + 1}`);
    }
  });

  test("says its length and version to HEAD, and that it is unchanged", async () => {
    const whole = await get(instancePath("1"), { accept: named() });
    const head = await get(instancePath("1"), { accept: named() }, "HEAD");
    const length = String((await whole.bytes()).length);
    expect([head.status, head.headers.get("content-length")]).toEqual([200, length]);
    const etag = head.headers.get("etag") ?? "";
    expect(etag).toBe(whole.headers.get("etag") ?? "none");
    expect((await get(instancePath("1"), { accept: named(), "if-none-match": etag })).status).toBe(304);
    expect(
      (await get(instancePath("1"), { accept: "application/dicom", "if-none-match": etag })).status,
    ).toBe(200);
  });

  test("comes in parts too, and as the syntax that its own is a kind of", async () => {
    const parts = await get(instancePath("1"), { accept: related });
    expect(parts.headers.get("content-type")).toStartWith('multipart/related; type="application/dicom"');
    const text = Buffer.from(await parts.bytes()).toString("latin1");
    expect(text).toContain(`Content-Type: application/dicom; transfer-syntax=${HTJ2K}\r\n`);
    expect(text).toMatch(new RegExp(`\r\nContent-Location: \\S*${instancePath("1")}\r\n`));
    const other = "1.2.840.10008.1.2.4.201";
    const file = await (await get(instancePath("1"), { accept: named(other) })).bytes();
    expect(readTaken(file).transferSyntaxUID).toBe(other);
    expect(await framesOf(file)).toEqual(slices);
  });

  test("comes only to who names the syntax first", async () => {
    for (const accept of [
      "application/dicom",
      "application/dicom; transfer-syntax=*",
      `application/dicom, ${named()}`,
    ]) {
      const file = await (await get(instancePath("1"), { accept })).bytes();
      expect(readTaken(file).transferSyntaxUID).toBe("1.2.840.10008.1.2.1");
    }
    const stranger = await t.addPerson("Outra Dona");
    expect(
      (await t.call("GET", instancePath("1"), { as: stranger, headers: { accept: named() } })).status,
    ).toBe(404);
  });
});

describe("there is no such file", () => {
  const pixels = { ...sliceElements(0), [TagHex.PixelData]: { vr: "OW", bytes: words(true) } };

  test("without a copy", async () => {
    await store("10", "1.2.840.10008.1.2.1", pixels, { isCopied: false });
    expect((await get(instancePath("10"), { accept: named() })).status).toBe(406);
    expect((await get(instancePath("10"), { accept: `${named()}, application/dicom` })).status).toBe(200);
  });

  test("where elements follow the pixel data, unless they are padding", async () => {
    await store("11", "1.2.840.10008.1.2.1", { ...pixels, FFFAFFFA: { vr: "SQ", Value: [{}] } });
    expect((await get(instancePath("11"), { accept: named() })).status).toBe(406);
    await store("15", "1.2.840.10008.1.2.1.99", { ...pixels, FFFAFFFA: { vr: "SQ", Value: [{}] } });
    expect((await get(instancePath("15"), { accept: named() })).status).toBe(406);
    await store("12", "1.2.840.10008.1.2.1", {
      ...pixels,
      FFFCFFFC: { vr: "OB", bytes: new Uint8Array(50) },
    });
    expect((await get(instancePath("12"), { accept: named() })).status).toBe(200);
  });

  test("where the header is longer than a megabyte; the stored file still comes to who takes any syntax too", async () => {
    await store("17", "1.2.840.10008.1.2.1", {
      ...pixels,
      "00091010": { vr: "OB", bytes: new Uint8Array(1024 * 1024) },
    });
    await store("18", "1.2.840.10008.1.2.1", { ...pixels, FFFAFFFA: { vr: "SQ", Value: [{}] } });
    for (const study of ["17", "18"]) {
      // None of the syntaxes that were asked for is there.
      expect((await get(instancePath(study), { accept: named() })).status).toBe(406);
      for (const other of ["application/dicom; transfer-syntax=*", named("1.2.840.10008.1.2.1")]) {
        const file = await (await get(instancePath(study), { accept: `${named()}, ${other}` })).bytes();
        expect(readTaken(file).transferSyntaxUID).toBe("1.2.840.10008.1.2.1");
      }
    }
  });

  test("where the frames keep more bits than the data set describes", async () => {
    // An overlay in the highest bit, as files from before 2004 have it.
    const bytes = words(true);
    for (let at = 1; at < bytes.length; at += 200) bytes[at] = ((bytes[at] ?? 0) & 0x0f) | 0x40;
    await store("13", "1.2.840.10008.1.2.1", { ...pixels, [TagHex.PixelData]: { vr: "OW", bytes } });
    const frame = `${instancePath("13")}/frames/1`;
    expect((await get(frame, { accept: `image/jphc; transfer-syntax=${HTJ2K}` })).status).toBe(200);
    expect((await get(instancePath("13"), { accept: named() })).status).toBe(406);
  });

  test("where a frame of the copy is damaged", async () => {
    await store("14", "1.2.840.10008.1.2.1", pixels);
    const [row] = await t.sql<{ key: string }[]>`select key from derivatives where study_id =
      (select id from studies where study_instance_uid = ${studyUID("14")})`;
    const path = join(t.deps.config.dataDir, "objects", row?.key ?? "");
    const bytes = readFileSync(path);
    bytes.fill(~(bytes[100_000] ?? 0) & 0xff, 100_000, 100_004);
    writeFileSync(path, bytes);
    // A viewer is refused before any frame is read.
    expect((await t.call("GET", await viewerPath("14"), { headers: { accept: named() } })).status).toBe(403);
    expect((await get(instancePath("14"), { accept: named() })).status).toBe(406);
    expect((await get(instancePath("14"), { accept: "application/dicom" })).status).toBe(200);
  });

  test("for a viewer, who gets no images as files", async () => {
    expect((await t.call("GET", await viewerPath("1"), { headers: { accept: named() } })).status).toBe(403);
  });
});

/** The address of an instance for a viewer of its owner. */
async function viewerPath(study: string): Promise<string> {
  const [row] = await t.sql<
    { id: string }[]
  >`select id from studies where study_instance_uid = ${studyUID(study)}`;
  const data = Buffer.from(JSON.stringify([{ userId: owner.id, id: row?.id }])).toString("base64url");
  const made = await t.call("GET", `/generate-token?data=${data}`, { as: owner });
  const { token } = (await made.json()) as { token: string };
  return instancePath(study).replace("/dicomweb", `/dicomweb/t/${token}`);
}
