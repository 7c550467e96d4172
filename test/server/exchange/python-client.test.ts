import { afterAll, beforeAll, expect, test } from "bun:test";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";
import {
  DEFLATED,
  EXPLICIT_BIG_ENDIAN,
  EXPLICIT_LITTLE_ENDIAN,
  IMPLICIT_LITTLE_ENDIAN,
  sampleFile,
} from "../../support/dicom/dicom-sample.ts";
import { sampleInstance, studyUID } from "../../support/zip/sample-zip.ts";

/** The forms of request that Python's dicomweb-client has beside those of JavaScript's, and what it takes as an answer. */
const PUBLIC_URL = "https://exames.example:8443";
const RLE = "1.2.840.10008.1.2.5";
const ACCEPT_JSON = "application/dicom+json, application/json";
const BOUNDARY = "6d1c2f0e-1fd0-4a8a-8a51-0b6f8d8b4c11";

let t: TestApp;
let server: ReturnType<typeof Bun.serve>;
let authorization: string;
beforeAll(async () => {
  t = await createTestApp({ env: { PUBLIC_URL } });
  server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => t.app.fetch(request) });
  const as = await t.addPerson("Quem Programa");
  const json = { name: "python", scopes: ["dicomweb:read", "dicomweb:write"] };
  const made = await t.call("POST", "/api/tokens", { as, json });
  authorization = `Bearer ${((await made.json()) as { token: string }).token}`;
}, 240_000);
afterAll(async () => {
  await server.stop(true);
  await t[Symbol.asyncDispose]();
});

/** It names the host without its port. */
const get = (path: string, accept: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${server.port}/dicomweb${path}`, {
    headers: { authorization, accept, host: "exames.example", ...headers },
  });

/** What it takes as the parts: all between the delimiters, from the first empty line on. */
async function partsOf(answer: Response): Promise<string[]> {
  const [type, ...parameters] = (answer.headers.get("content-type") ?? "").split(/;\s*/);
  expect([answer.status, type]).toEqual([200, "multipart/related"]);
  const [boundary = "?"] = parameters.flatMap((text) => /^boundary="?([^"]+)"?$/.exec(text)?.[1] ?? []);
  const [first = "", ...others] = Buffer.from(await answer.bytes())
    .toString("latin1")
    .split(`\r\n--${boundary}`);
  expect(others.pop()).toBe("--\r\n");
  return [first, ...others].map((part) => part.slice(part.indexOf("\r\n\r\n") + 4));
}

const long = new Uint8Array(2_000).map((_, i) => i % 251);
const pair: DicomElements = {
  [TagHex.NumberOfFrames]: { vr: "IS", Value: [2] },
  [TagHex.PixelData]: { vr: "OB", fragments: [Uint8Array.of(1, 2, 3, 4), Uint8Array.of(5, 6, 7, 8)] },
};
const uids = (sop: string): DicomElements => ({
  [TagHex.StudyInstanceUID]: { vr: "UI", Value: [studyUID("1")] },
  [TagHex.SeriesInstanceUID]: { vr: "UI", Value: ["2.25.2.1.1"] },
  [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`2.25.3.1.1.${sop}`] },
});
const files = [
  sampleInstance({ elements: { "00091001": { vr: "OB", bytes: long } } }),
  sampleFile({ ...uids("2"), ...pair }, { transferSyntaxUID: RLE }),
  sampleInstance({ study: "2" }),
];
const study = `/studies/${studyUID("1")}`;
const series = `${study}/series/2.25.2.1.1`;
const [plain, compressed] = ["1", "2"].map((sop) => `${series}/instances/2.25.3.1.1.${sop}`);

async function store(path: string, sent: Uint8Array[]) {
  const head = `\r\n--${BOUNDARY}\r\nContent-Type: application/dicom\r\n\r\n`;
  const body = Buffer.concat([
    ...sent.flatMap((file) => [Buffer.from(head), file]),
    Buffer.from(`\r\n--${BOUNDARY}--`),
  ]);
  const chunks = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let i = 0; i < body.length; i += 1_000) controller.enqueue(body.subarray(i, i + 1_000));
      controller.close();
    },
  });
  const type = `multipart/related; type="application/dicom"; boundary="${BOUNDARY}"`;
  const answer = await fetch(`http://127.0.0.1:${server.port}/dicomweb${path}`, {
    method: "POST",
    headers: { authorization, "content-type": type, accept: "*/*", "cache-control": "no-cache" },
    body: chunks,
  });
  // It reads the answer only under exactly this type, as one data set.
  expect(answer.headers.get("content-type")).toBe("application/dicom+json");
  const result = (await answer.json()) as Record<string, { Value?: unknown[] } | undefined>;
  const count = (tag: string) => result[tag]?.Value?.length ?? 0;
  const [stored, failed] = [TagHex.ReferencedSOPSequence, "00081198"].map(count);
  return { status: answer.status, stored, failed };
}

test("instances come in chunks, with a line break before the first boundary and none behind the last", async () => {
  expect(await store("/studies", files)).toEqual({ status: 200, stored: 3, failed: 0 });
  expect(await store(study, files)).toEqual({ status: 202, stored: 2, failed: 1 });
  expect(await store(study, files.slice(2))).toEqual({ status: 409, stored: 0, failed: 1 });
  await t.settle();
  const all = await partsOf(await get(study, 'multipart/related; type="application/dicom"'));
  const sent = files.slice(0, 2).map((file) => Buffer.from(file).toString("latin1"));
  expect(all.toSorted()).toEqual(sent.toSorted());
});

test.each(["1", "7"])("pages of %s end with an empty answer", async (limit) => {
  const found: unknown[] = [];
  for (let body = "?"; body !== ""; ) {
    const query = `fuzzymatching=false&includefield=StudyDescription&includefield=00081030&limit=${limit}&offset=${found.length}`;
    body = await (await get(`/studies?${query}`, ACCEPT_JSON)).text();
    found.push(...(body === "" ? [] : (JSON.parse(body) as unknown[])));
  }
  expect(found).toHaveLength(2);
});

test.each([study, series, plain])("the metadata of %s name long values by whole addresses", async (path) => {
  for (const coding of ["zstd", "gzip, deflate", "identity"]) {
    const answer = await get(`${path}/metadata`, ACCEPT_JSON, { "accept-encoding": coding });
    const items = (await answer.json()) as Record<string, { BulkDataURI?: string } | undefined>[];
    const named = items.flatMap((item) => item["00091001"]?.BulkDataURI ?? []);
    expect(named).toEqual([`${PUBLIC_URL}/dicomweb${plain}/bulkdata/00091001`]);
    const below = named[0]?.replace(`${PUBLIC_URL}/dicomweb`, "") ?? "";
    const parts = await partsOf(await get(below, 'multipart/related; type="application/octet-stream"'));
    expect(parts).toEqual([Buffer.from(long).toString("latin1")]);
    const text = await (await get(below, 'multipart/related; type="application/octet-stream"')).text();
    expect(text).toContain(`\r\nContent-Location: ${named[0]}\r\n`);
  }
});

test("a client that reaches the server by another name resolves the addresses of long values itself", async () => {
  const answer = await get(`${series}/metadata`, ACCEPT_JSON, { host: "exames.lan:3000" });
  const items = (await answer.json()) as Record<string, { BulkDataURI?: string } | undefined>[];
  const named = items.flatMap((item) => item["00091001"]?.BulkDataURI ?? []);
  expect(named).toEqual(["instances/2.25.3.1.1.1/bulkdata/00091001"]);
});

const related = (type: string, syntax?: string) =>
  `multipart/related; type="${type}"${syntax === undefined ? "" : `; transfer-syntax=${syntax}`}`;

test.each([
  related("application/octet-stream"),
  related("application/octet-stream", "*"),
  related("image/x-dicom-rle", RLE),
  related("image/*"),
  related("image/*", "*"),
  `${related("image/x-jls", "1.2.840.10008.1.2.4.80")}, ${related("image/x-dicom-rle", RLE)}`,
  "",
])("frames are taken as %p", async (accept) => {
  const parts = await partsOf(await get(`${compressed}/frames/1,2`, accept));
  expect(parts).toEqual(["\x01\x02\x03\x04", "\x05\x06\x07\x08"]);
});

test("native frames of an implicit data set are taken as those of an explicit one", async () => {
  await store("/studies", [sampleFile(uids("3"), { transferSyntaxUID: IMPLICIT_LITTLE_ENDIAN })]);
  const path = `${series}/instances/2.25.3.1.1.3/frames/1`;
  const accepted = ["1.2.840.10008.1.2.1", "*"].map((syntax) => related("application/octet-stream", syntax));
  const [named, any] = await Promise.all(accepted.map(async (accept) => partsOf(await get(path, accept))));
  expect(named).toHaveLength(1);
  expect(named).toEqual(any ?? []);
});

test.each([
  ["image/jpx", "1.2.840.10008.1.2.4.92"],
  ["video/mpeg2", "1.2.840.10008.1.2.4.101"],
  ["video/mp4", "1.2.840.10008.1.2.4.102"],
])("the stream of %s is taken by that type, as a frame and as bulk data", async (type, transferSyntaxUID) => {
  const sop = transferSyntaxUID.replace(/.*\./, "");
  const stream = { vr: "OB", fragments: [Uint8Array.of(9, 8), Uint8Array.of(7, 6)] };
  const elements = { ...uids(sop), [TagHex.PixelData]: stream };
  await store("/studies", [sampleFile(elements, { transferSyntaxUID })]);
  for (const path of ["frames/1", `bulkdata/${TagHex.PixelData}`])
    for (const accept of [
      related(type),
      related(type, transferSyntaxUID),
      related(type.replace(/\w+$/, "*")),
    ]) {
      const answer = await get(`${series}/instances/2.25.3.1.1.${sop}/${path}`, accept);
      expect(answer.headers.get("content-type")).toContain(`type="${type}"`);
      expect(await partsOf(answer)).toEqual(["\x09\x08\x07\x06"]);
    }
});

test("the bulk data of an odd number of pixels have the byte that makes their value even", async () => {
  const pixels: DicomElements = {
    [TagHex.Rows]: { vr: "US", Value: [1] },
    [TagHex.Columns]: { vr: "US", Value: [3] },
    [TagHex.BitsAllocated]: { vr: "US", Value: [8] },
    [TagHex.PixelData]: { vr: "OW", bytes: Uint8Array.of(1, 2, 3, 4) },
  };
  await store("/studies", [sampleFile({ ...uids("5"), ...pixels })]);
  const value = `${series}/instances/2.25.3.1.1.5/bulkdata/${TagHex.PixelData}`;
  expect(await partsOf(await get(value, ""))).toEqual(["\x01\x02\x03\x04"]);
});

test.each([EXPLICIT_LITTLE_ENDIAN, IMPLICIT_LITTLE_ENDIAN, EXPLICIT_BIG_ENDIAN, DEFLATED])(
  "the bulk data of pixels in %s have what is behind the frames that are counted",
  async (transferSyntaxUID) => {
    const sop = `6${transferSyntaxUID.replace(/.*2\./, "").replace(/\D/g, "")}`;
    // 8 bytes are the frame, 4 pad it.
    const pixels = { vr: "OW", bytes: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) };
    const elements = { ...uids(sop), [TagHex.PixelData]: pixels };
    await store("/studies", [sampleFile(elements, { transferSyntaxUID })]);
    const value = `${series}/instances/2.25.3.1.1.${sop}/bulkdata/${TagHex.PixelData}`;
    const swapped = "\x02\x01\x04\x03\x06\x05\x08\x07\x0a\x09\x0c\x0b";
    const expected =
      transferSyntaxUID === EXPLICIT_BIG_ENDIAN ? swapped : Buffer.from(pixels.bytes).toString("latin1");
    expect(await partsOf(await get(value, ""))).toEqual([expected]);
    const range = await get(value, "application/octet-stream", { range: "bytes=7-9" });
    expect([range.status, Buffer.from(await range.bytes()).toString("latin1")]).toEqual([
      206,
      expected.slice(7, 10),
    ]);
  },
);

test.each([
  related("image/x-jls"),
  related("video/*"),
  related("application/octet-stream", "1.2.840.10008.1.2.1"),
])("RLE frames are not taken as %s", async (accept) => {
  expect((await get(`${compressed}/frames/1`, accept)).status).toBe(406);
});
