import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { zipSync } from "fflate";
import { makeDerivatives } from "../../../src/server/features/derivatives/make-derivatives.ts";
import { readCodec } from "../../../src/server/features/thumbnails/worker/read-codec.ts";
import { maybeFalse } from "../../../src/server/holdings/derivatives/early-frame.ts";
import { derivativeQueue } from "../../../src/server/holdings/holding-queues.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createCodecs } from "../../../src/shared/pixels/wasm-codec.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";
import { noisySlices } from "../../support/dicom/noisy-slices.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const COPY = "image/jphc; transfer-syntax=1.2.840.10008.1.2.4.202";
const COPY_OR_STORED = `${COPY}, application/octet-stream; transfer-syntax=*`;
const JPEG_2000 = "1.2.840.10008.1.2.4.90";
const SIDE = 640;
const never = new AbortController().signal;
const codecs = createCodecs(readCodec);

const colours = Uint8Array.from({ length: SIDE * SIDE * 3 }, (_, at) =>
  Math.round(127 + 120 * Math.sin(at / (900 + (at % 3) * 400))),
);

let t: TestApp;
let owner: Person;
beforeAll(async () => {
  t = await createTestApp({ env: { DERIVATIVES: "on" } });
  owner = await t.addPerson("Dona de Antes", { plan: "familia" });
});
afterAll(() => t[Symbol.asyncDispose]());

async function storeWithCopy(zip: Uint8Array): Promise<string> {
  const { studies } = await t.store(owner, zip);
  await t.deps.jobs.empty(derivativeQueue);
  await t.settle();
  const id = studies[0]?.id ?? "";
  await makeDerivatives(t.deps, id, never);
  return id;
}

async function copyOf(studyId: string): Promise<{ key: string; offset: number }> {
  const [row] = await t.sql`select key, index_offset from derivatives where study_id = ${studyId}`;
  return { key: row?.key, offset: Number(row?.index_offset) };
}

/** Makes of a study's copy the one that an early release made of it; returns its key. `change` changes its only frame. */
async function makeEarly(studyId: string, change?: (frame: Buffer) => void): Promise<string> {
  const { key, offset } = await copyOf(studyId);
  const path = join(t.deps.config.dataDir, "objects", key);
  const bytes = readFileSync(path);
  const index = JSON.parse(zstdDecompressSync(bytes.subarray(offset)).toString());
  expect(index.madeAs).toBe(2);
  delete index.madeAs;
  const frames = bytes.subarray(0, offset);
  if (change) {
    change(frames);
    index.instances[0].frames.splice(0, 3, 0, frames.length, crc32(frames));
  }
  const packed = zstdCompressSync(Buffer.from(JSON.stringify(index)));
  writeFileSync(path, Buffer.concat([frames, packed]));
  const sha256 = new Bun.CryptoHasher("sha256").update(packed).digest("hex");
  await t.sql`update derivatives set index_offset = ${frames.length}, index_sha256 = ${sha256},
    size_bytes = ${frames.length + packed.length} where study_id = ${studyId}`;
  return key;
}

const getFrame = (study: string, series: string, sop: string, accept: string) =>
  t.call("GET", `/dicomweb/studies/${studyUID(study)}/series/${series}/instances/${sop}/frames/1`, {
    as: owner,
    headers: { accept },
  });

describe("a copy of an early release", () => {
  test("in colours without a transform is never shown, and is made again", async () => {
    const file = sampleFile({
      [TagHex.StudyInstanceUID]: { vr: "UI", Value: [studyUID("1")] },
      [TagHex.SeriesInstanceUID]: { vr: "UI", Value: ["2.25.2.1"] },
      [TagHex.SOPInstanceUID]: { vr: "UI", Value: ["2.25.3.1"] },
      [TagHex.Rows]: { vr: "US", Value: [SIDE] },
      [TagHex.Columns]: { vr: "US", Value: [SIDE] },
      [TagHex.SamplesPerPixel]: { vr: "US", Value: [3] },
      [TagHex.PlanarConfiguration]: { vr: "US", Value: [0] },
      [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["RGB"] },
      [TagHex.BitsAllocated]: { vr: "US", Value: [8] },
      [TagHex.BitsStored]: { vr: "US", Value: [8] },
      [TagHex.HighBit]: { vr: "US", Value: [7] },
      [TagHex.PixelData]: { vr: "OB", bytes: colours },
    });
    const studyId = await storeWithCopy(zipSync({ IM: file }, { level: 0 }));
    const key = await makeEarly(studyId, (frame) => {
      // The COD marker segment no longer says that there is a transform, so that its frame is another one.
      frame.writeUInt8(0, frame.indexOf(Uint8Array.of(0xff, 0x52)) + 8);
    });
    const get = (accept: string) => getFrame("1", "2.25.2.1", "2.25.3.1", accept);
    expect(await (await get(COPY_OR_STORED)).bytes()).toEqual(colours);
    await t.settle();
    await makeDerivatives(t.deps, studyId, never);
    expect((await copyOf(studyId)).key).not.toBe(key);
    const answer = await get(COPY);
    expect(answer.status).toBe(200);
    const { samples } = await codecs.decode("jpeg2000", await answer.bytes());
    expect(samples).toEqual(colours);
  });

  test("in grey stays", async () => {
    const studyId = await storeWithCopy(sampleZip(...noisySlices("2")));
    const key = await makeEarly(studyId);
    expect((await getFrame("2", "2.25.2.2.1", "2.25.3.2.1.1", COPY)).status).toBe(200);
    expect((await copyOf(studyId)).key).toBe(key);
  });
});

describe("what an early release may have made wrong", () => {
  /** SIZ of one component, in which only its Ssiz matters. */
  function grey(precision: number): Uint8Array {
    const stream = Buffer.alloc(60);
    stream.writeUInt16BE(1, 40);
    stream.writeUInt8(precision, 42);
    return stream;
  }
  const SIGNED = 0x80;
  test.each([
    ["7 bits, signed", SIGNED | 6, "1.2.840.10008.1.2.1", true],
    ["12 bits, signed", SIGNED | 11, "1.2.840.10008.1.2.1", false],
    ["16 bits, signed, of JPEG 2000, which may have had 8 of them", SIGNED | 15, JPEG_2000, true],
    ["12 bits of JPEG 2000", 11, JPEG_2000, false],
    ["8 bits", 7, "1.2.840.10008.1.2.1", false],
  ])("%s", async (_, precision, syntax, expected) => {
    expect(await maybeFalse(grey(precision), async () => syntax)).toBe(expected);
  });
});
