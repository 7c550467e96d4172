import { expect, test } from "bun:test";
import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { dicomwebApp } from "../../support/app/dicomweb-app.ts";
import { createMemoryCatalogue } from "../../support/app/memory-catalogue.ts";
import { EXPLICIT_BIG_ENDIAN, EXPLICIT_LITTLE_ENDIAN, sampleFile } from "../../support/dicom/dicom-sample.ts";

const LITTLE = `application/octet-stream; transfer-syntax=${EXPLICIT_LITTLE_ENDIAN}`;
const BIG = `application/octet-stream; transfer-syntax=${EXPLICIT_BIG_ENDIAN}`;

interface Pixels {
  vr: "OB" | "OW";
  bits: number;
  /** Of one row of one frame. */
  columns: number;
  frames: number;
  bytes: number[];
}

function appOf({ vr, bits, columns, frames, bytes }: Pixels) {
  const elements: DicomElements = {
    [TagHex.Rows]: { vr: "US", Value: [1] },
    [TagHex.Columns]: { vr: "US", Value: [columns] },
    [TagHex.BitsAllocated]: { vr: "US", Value: [bits] },
    [TagHex.NumberOfFrames]: { vr: "IS", Value: [frames] },
    [TagHex.PixelData]: { vr, bytes: Uint8Array.from(bytes) },
  };
  const file = sampleFile(elements, { transferSyntaxUID: EXPLICIT_BIG_ENDIAN });
  const read = readInstance(memorySource(file));
  if (!read.ok) throw new Error(read.reason);
  const { instance } = read;
  const catalogue = createMemoryCatalogue([{ bytes: file, instance }]);
  const app = dicomwebApp(() => catalogue);
  const { studyInstanceUID, seriesInstanceUID, sopInstanceUID } = instance;
  const base = `/dicomweb/t/x/studies/${studyInstanceUID}/series/${seriesInstanceUID}/instances/${sopInstanceUID}`;
  return async (path: string, headers: Record<string, string>) =>
    await app.request(`${base}/${path}`, { headers });
}

/** The writer stores the bytes of a value as they are: here those of a big-endian file. */
const CASES: (Pixels & { what: string; little: number[][]; padding?: number[] })[] = [
  {
    what: "16 bits",
    ...{ vr: "OW", bits: 16, columns: 2, frames: 2, bytes: [1, 2, 3, 4, 5, 6, 7, 8] },
    little: [
      [2, 1, 4, 3],
      [6, 5, 8, 7],
    ],
  },
  {
    what: "32 bits",
    ...{ vr: "OW", bits: 32, columns: 1, frames: 2, bytes: [1, 2, 3, 4, 5, 6, 7, 8] },
    little: [
      [4, 3, 2, 1],
      [8, 7, 6, 5],
    ],
  },
  {
    what: "8 bits in bytes",
    ...{ vr: "OB", bits: 8, columns: 3, frames: 2, bytes: [1, 2, 3, 4, 5, 6] },
    little: [
      [1, 2, 3],
      [4, 5, 6],
    ],
  },
  {
    what: "8 bits in words, with frames that share one",
    ...{ vr: "OW", bits: 8, columns: 3, frames: 3, bytes: [2, 1, 4, 3, 6, 5, 8, 7, 10, 9] },
    little: [
      [1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
    ],
    padding: [10],
  },
  {
    what: "1 bit in words, with frames that share a byte",
    ...{ vr: "OW", bits: 1, columns: 12, frames: 2, bytes: [0xbc, 0x1a, 0x00, 0xde] },
    little: [
      [0x1a, 0x0c],
      [0xeb, 0x0d],
    ],
  },
];

const DEFAULTS = ["application/octet-stream", LITTLE];

test.each(CASES)("big-endian pixels of $what come as little-endian", async ({ little, ...pixels }) => {
  const get = appOf(pixels);
  for (const accept of DEFAULTS)
    for (const [index, expected] of little.entries()) {
      const answer = await get(`frames/${index + 1}`, { accept });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe(LITTLE);
      expect([...(await answer.bytes())]).toEqual(expected);
    }
  const parts = await get("frames/2,1", { accept: `multipart/related; type="application/octet-stream"` });
  const text = Buffer.from(await parts.bytes()).toString("latin1");
  const latin1 = (bytes: number[] = []) => Buffer.from(bytes).toString("latin1");
  const heads = [...text.matchAll(/Content-Type: (.+)\r/g)].map(([, type]) => type);
  expect(heads).toEqual([LITTLE, LITTLE]);
  const [second, first] = [little[1], little[0]].map((bytes) => text.indexOf(`\r\n\r\n${latin1(bytes)}\r\n`));
  expect(second).toBeGreaterThan(0);
  expect(first).toBeGreaterThan(second ?? Number.POSITIVE_INFINITY);
});

test.each(CASES.filter(({ bits }) => bits > 1))(
  "the bulk data of big-endian pixels of $what are little-endian, also in ranges",
  async ({ little, padding = [], ...pixels }) => {
    const get = appOf(pixels);
    const all = [...little.flat(), ...padding];
    const accept = "application/octet-stream";
    expect([...(await (await get("bulkdata/7FE00010", { accept })).bytes())]).toEqual(all);
    for (let from = 0; from < all.length; from++) {
      const answer = await get("bulkdata/7FE00010", { accept, range: `bytes=${from}-${from + 2}` });
      expect([answer.status, ...(await answer.bytes())]).toEqual([206, ...all.slice(from, from + 3)]);
    }
  },
);

test("a client that takes any syntax, or names theirs, gets big-endian frames as they are stored", async () => {
  const get = appOf({ vr: "OW", bits: 16, columns: 2, frames: 1, bytes: [1, 2, 3, 4] });
  for (const accept of ["application/octet-stream; transfer-syntax=*", BIG]) {
    const answer = await get("frames/1", { accept });
    expect(answer.headers.get("content-type")).toBe(BIG);
    expect([...(await answer.bytes())]).toEqual([1, 2, 3, 4]);
  }
  expect((await get("frames/2", { accept: LITTLE })).status).toBe(404);
  expect((await get("frames/1,1", { accept: LITTLE })).status).toBe(406);
});
