import { describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { zstdDecompressSync } from "bun";
import { AppError } from "../../../src/server/http/app-error.ts";
import { unauthenticated } from "../../../src/server/http/http.errors.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { dicomwebApp } from "../../support/app/dicomweb-app.ts";
import { createMemoryCatalogue } from "../../support/app/memory-catalogue.ts";
import { EXPLICIT_LITTLE_ENDIAN } from "../../support/dicom/dicom-sample.ts";
import {
  CT_SERIES,
  JPEG_2000,
  MIXED_SERIES,
  OTHER_STUDY,
  pixels,
  STUDY,
  sampleStudies,
} from "./sample-study.ts";

const held = sampleStudies();
const mine = createMemoryCatalogue(held.filter(({ instance }) => instance.studyInstanceUID === STUDY));
const app = dicomwebApp((c) => {
  if (c.req.param("token") !== "good") throw new AppError(unauthenticated);
  return mine;
});

const SINGLE = { accept: "application/octet-stream; transfer-syntax=*" };
const MULTIPART = { accept: 'multipart/related; type="application/octet-stream"; transfer-syntax=*' };

const get = (path: string, headers: Record<string, string> = {}) =>
  app.request(`/dicomweb/t/good${path}`, { headers });
const series = `/studies/${STUDY}/series`;
const instance = (sop: string, of = MIXED_SERIES) => `${series}/${of}/instances/${of}.${sop}`;
const values = async (response: Response, tag: string) =>
  ((await response.json()) as Record<string, { Value?: unknown[] }>[]).map((item) => item[tag]?.Value?.[0]);
const bytesOf = async (response: Response): Promise<Uint8Array> =>
  new Uint8Array(await response.arrayBuffer());

/** Splits a multipart body by its own boundary. */
async function partsOf(response: Response) {
  const boundary = /boundary=(.+)$/.exec(response.headers.get("content-type") ?? "")?.[1] ?? "";
  const text = Buffer.from(await response.arrayBuffer()).toString("latin1");
  const [, ...parts] = text.split(`--${boundary}`);
  expect(parts.pop()).toBe("--\r\n");
  return parts.map((part) => {
    const end = part.indexOf("\r\n\r\n");
    return { head: part.slice(2, end), body: Buffer.from(part.slice(end + 4, -2), "latin1") };
  });
}

test("an image that came after its series was looked up along with the caller is found", async () => {
  const before = createMemoryCatalogue(
    held.filter(({ instance }) => instance.sopInstanceUID !== `${CT_SERIES}.2`),
  );
  const grown = dicomwebApp((_c, named) => (named ? before : mine));
  const frame = (sop: string) => `/dicomweb/t/good${instance(sop, CT_SERIES)}/frames/1`;
  const statuses = ["1", "2", "9"].map(
    async (sop) => (await grown.request(frame(sop), { headers: SINGLE })).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 200, 404]);
});

describe("finding studies", () => {
  test("a study is found by its UID, with the attributes that the viewer shows", async () => {
    const response = await get(`/studies?limit=101&offset=0&fuzzymatching=false&StudyInstanceUID=${STUDY}`);
    expect(response.headers.get("content-type")).toBe("application/dicom+json");
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(await response.json()).toMatchObject([
      {
        [TagHex.StudyDate]: { vr: "DA", Value: ["20260131"] },
        [TagHex.ModalitiesInStudy]: { vr: "CS", Value: ["CT"] },
        [TagHex.PatientName]: { vr: "PN", Value: [{ Alphabetic: "Gonçalves^João" }] },
        [TagHex.NumberOfStudyRelatedSeries]: { vr: "IS", Value: [2] },
        [TagHex.NumberOfStudyRelatedInstances]: { vr: "IS", Value: [7] },
      },
    ]);
  });

  test.each([
    ["00100020=P-1", 1],
    ["PatientID=P-2", 0],
    ["PatientName=gonçalves*", 1],
    ["PatientName=*jo?o", 1],
    ["PatientName=Silva*", 0],
    ["StudyDate=20260131", 1],
    ["StudyDate=20260130", 0],
    ["StudyDate=20260101-20260130", 0],
    ["StudyDate=-20260131", 1],
    ["StudyDate=20260201-", 0],
    ["ModalitiesInStudy=MR,CT", 1],
    ["ModalitiesInStudy=MR", 0],
    [`StudyInstanceUID=${OTHER_STUDY}`, 0],
    [`StudyInstanceUID=1.2\\${STUDY}`, 1],
    ["AccessionNumber=&PatientName=*&SomethingElse=1", 1],
    ["offset=1", 0],
    ["limit=0", 0],
  ])("a search for %s finds %i of my studies", async (query, count) => {
    expect(await (await get(`/studies?${query}`)).json()).toBeArrayOfSize(count);
  });

  test.each(["limit=-1", "offset=x", "StudyDate=2026", "StudyDate=-", "StudyDate=20260131-2026"])(
    "a search that can't be read (%s) is refused, not guessed",
    async (query) => {
      const response = await get(`/studies?${query}`);
      expect(response.status).toBe(400);
    },
  );

  test("series and instances are listed in their order", async () => {
    expect(await values(await get(`${series}?includefield=00080021`), TagHex.SeriesInstanceUID)).toEqual([
      CT_SERIES,
      MIXED_SERIES,
    ]);
    expect(
      await values(await get(`${series}/${CT_SERIES}/instances?limit=2`), TagHex.InstanceNumber),
    ).toEqual([1, 2]);
    expect(await values(await get(`/studies/${STUDY}/instances?offset=2`), TagHex.InstanceNumber)).toEqual([
      3, 1, 2, 3, 4,
    ]);
  });
});

describe("what a search within a study names of the levels above", () => {
  const study = "StudyDescription,00100010,StudyDate,ModalitiesInStudy,NumberOfStudyRelatedInstances";
  const ofStudy = {
    [TagHex.PatientName]: { vr: "PN", Value: [{ Alphabetic: "Gonçalves^João" }] },
    [TagHex.StudyDate]: { vr: "DA", Value: ["20260131"] },
    [TagHex.StudyDescription]: { vr: "LO" },
    [TagHex.ModalitiesInStudy]: { vr: "CS", Value: ["CT"] },
    [TagHex.NumberOfStudyRelatedInstances]: { vr: "IS", Value: [7] },
  };
  const ofSeries = { [TagHex.NumberOfSeriesRelatedInstances]: { vr: "IS", Value: [3] } };

  test.each([
    [series, study, ofStudy],
    [`/studies/${STUDY}/instances`, study, ofStudy],
    [
      `${series}/${CT_SERIES}/instances`,
      `${study},NumberOfSeriesRelatedInstances`,
      { ...ofStudy, ...ofSeries },
    ],
  ])("is in each of its results: %s", async (path, includefield, expected) => {
    const results = (await (await get(`${path}?limit=2&includefield=${includefield}`)).json()) as object[];
    expect(results).toBeArrayOfSize(2);
    for (const result of results) expect(result).toMatchObject(expected);
  });

  test("is not in the results of one that names nothing of them", async () => {
    for (const query of ["limit=1", "limit=1&includefield=all"]) {
      const [result] = (await (await get(`${series}?${query}`)).json()) as object[];
      expect(result).not.toHaveProperty(TagHex.PatientName);
    }
  });
});

describe("what is not mine", () => {
  test.each([
    `/studies/${OTHER_STUDY}/series`,
    `/studies/${OTHER_STUDY}/metadata`,
    `/studies/${OTHER_STUDY}`,
    `/studies/${OTHER_STUDY}/series/2.25.900.1/metadata`,
    `/studies/${STUDY}/series/2.25.900.1/metadata`,
    `/studies/${OTHER_STUDY}/series/2.25.900.1/instances/2.25.900.1.1/frames/1`,
    `/studies/${OTHER_STUDY}/series/${CT_SERIES}/instances/${CT_SERIES}.1/frames/1`,
    `/studies/x/series`,
    `${series}/${CT_SERIES}/instances/2.25.7/frames/1`,
    `${series}/${CT_SERIES}/instances/${CT_SERIES}.1/bulkdata/00420011`,
  ])("is not there: %s", async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  test("an expired token opens nothing", async () => {
    expect((await app.request(`/dicomweb/t/dead/studies`)).status).toBe(401);
    expect((await app.request(`/dicomweb/t/dead${instance("1")}/frames/1`)).status).toBe(401);
  });
});

describe("metadata", () => {
  const path = `${series}/${MIXED_SERIES}/metadata`;

  test.each([
    ["br, gzip, zstd", "zstd", zstdDecompressSync],
    ["gzip;q=0.5, br", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["*", "gzip", gunzipSync],
    ["*, gzip;q=0", null, (bytes: Uint8Array) => bytes],
    ["*;q=0.5, br", "br", brotliDecompressSync],
    ["deflate", null, (bytes: Uint8Array) => bytes],
  ] as const)("are sent in a coding that %s accepts", async (accepted, coding, unpack) => {
    const response = await get(path, { "accept-encoding": accepted, accept: "application/dicom+json" });
    expect(response.headers.get("content-encoding")).toBe(coding);
    const json = JSON.parse(new TextDecoder().decode(unpack(await bytesOf(response))));
    expect(json).toBeArrayOfSize(4);
    expect(json[3][TagHex.PatientName].Value[0].Alphabetic).toBe("Gonçalves^João");
  });

  test.each([
    [path, `http://localhost/dicomweb/t/good${path}`],
    [`/studies/${STUDY}/metadata`, `http://localhost/dicomweb/t/good/studies/${STUDY}/metadata`],
    [`${instance("4")}/metadata`, `http://localhost/dicomweb/t/good${instance("4")}/metadata`],
  ])("a bulk data link in %s leads to the value", async (from, base) => {
    const json = (await (await get(from)).json()) as Record<string, { BulkDataURI?: string }>[];
    const link = json.find((item) => item["00091001"])?.["00091001"]?.BulkDataURI ?? "";
    const response = await app.request(new URL(link, base).href, { headers: SINGLE });
    const value = await bytesOf(response);
    expect(value.length).toBe(2_000);
    expect([...value.subarray(0, 4)]).toEqual([1, 0, 3, 2]);
  });

  test("is not sent again to who has this version", async () => {
    for (const known of [path, `${instance("4")}/metadata`, `/studies/${STUDY}/metadata`]) {
      const etag = (await get(known)).headers.get("etag") ?? "";
      expect((await get(known, { "if-none-match": etag })).status).toBe(304);
      expect((await get(known, { "if-none-match": 'W/"other"' })).status).toBe(200);
    }
  });

  test("is not sent as something else", async () => {
    expect((await get(path, { accept: "application/dicom+xml" })).status).toBe(406);
  });
});

describe("frames", () => {
  test("a frame comes as bare bytes, private, and can't be run or framed", async () => {
    const response = await get(`${instance("1")}/frames/2`, SINGLE);
    expect(await bytesOf(response)).toEqual(pixels(2, 16));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": `application/octet-stream; transfer-syntax=${EXPLICIT_LITTLE_ENDIAN}`,
      "content-security-policy": "sandbox; default-src 'none'",
      "content-disposition": "attachment",
      "x-content-type-options": "nosniff",
      "cache-control": "private",
    });
  });

  test("a frame of several fragments comes whole", async () => {
    const first = await bytesOf(await get(`${instance("2")}/frames/1`, SINGLE));
    expect(first).toEqual(new Uint8Array([...pixels(1, 20), ...pixels(11, 10)]));
    const response = await get(`${instance("2")}/frames/2`, { accept: "image/jp2" });
    expect(response.headers.get("content-type")).toBe(`image/jp2; transfer-syntax=${JPEG_2000}`);
    expect(await bytesOf(response)).toEqual(pixels(2, 30));
  });

  test("a frame of a deflated instance comes inflated and says so", async () => {
    const response = await get(`${instance("3")}/frames/1`, SINGLE);
    expect(response.headers.get("content-type")).toEndWith(`transfer-syntax=${EXPLICIT_LITTLE_ENDIAN}`);
    expect(await bytesOf(response)).toEqual(pixels(1, 16));
  });

  test("a strict client gets multipart, several frames in the order it asked for", async () => {
    const response = await get(`${instance("1")}/frames/3,1`, MULTIPART);
    expect(response.headers.get("content-type")).toStartWith(
      'multipart/related; type="application/octet-stream"',
    );
    const parts = await partsOf(response);
    expect(parts.map(({ body }) => body[0])).toEqual([3, 1]);
    // And no address, which would have the token in it: a frame is the same bytes for whoever asks.
    expect(parts[0]?.head).toBe(
      `Content-Type: application/octet-stream; transfer-syntax=${EXPLICIT_LITTLE_ENDIAN}`,
    );
    expect(await partsOf(await get(`${instance("1")}/frames/1`))).toBeArrayOfSize(1);
  });

  test.each([
    ["a frame past the last", "4", SINGLE, 404],
    ["frame 0", "0", SINGLE, 400],
    ["a list of something else", "1,x", SINGLE, 400],
    [
      'a list that repeats many frames ("non-duplicate", PS3.18)',
      "1,".repeat(17).concat("1"),
      MULTIPART,
      400,
    ],
    ["a list without end", "1,".repeat(9_000), SINGLE, 400],
    ["two frames in one body", "1,2", SINGLE, 406],
    ["another image format", "1", { accept: "image/jpeg" }, 406],
    ["another image format in parts", "1", { accept: `multipart/related; type="image/jp2"` }, 406],
    ["another transfer syntax", "1", { accept: `*/*; transfer-syntax=${JPEG_2000}` }, 406],
  ])("%s is refused", async (_what, list, headers, status) => {
    expect((await get(`${instance("1")}/frames/${list}`, headers)).status).toBe(status);
  });
});

describe("instances", () => {
  const original = (sop: string) =>
    held.find(({ instance: { sopInstanceUID } }) => sopInstanceUID === sop)?.bytes ?? new Uint8Array();

  test("an instance comes back bit for bit", async () => {
    const sop = `${MIXED_SERIES}.2`;
    const single = await get(instance("2"), { accept: "application/dicom; transfer-syntax=*" });
    expect(single.headers.get("content-type")).toBe(`application/dicom; transfer-syntax=${JPEG_2000}`);
    expect(await bytesOf(single)).toEqual(original(sop));
    // Without the parameter a type means Explicit VR Little Endian.
    const plain = await get(instance("1"), { accept: "application/dicom" });
    expect(plain.headers.get("content-type")).toBe("application/dicom");
    const [part] = await partsOf(await get(instance("2")));
    expect(part?.head).toBe(`Content-Type: application/dicom; transfer-syntax=${JPEG_2000}`);
    expect(part?.body.equals(original(sop))).toBe(true);
  });

  test("an instance comes as the parameter says, whatever the header says, and once for each version", async () => {
    const path = `${instance("2")}?accept=application/dicom`;
    const single = await get(path, { accept: "image/jpeg" });
    expect(single.headers.get("content-type")).toBe(`application/dicom; transfer-syntax=${JPEG_2000}`);
    const etag = single.headers.get("etag") ?? "";
    expect((await get(path, { "if-none-match": `"x", ${etag}` })).status).toBe(304);
  });

  test("a series and a study come as all their instances", async () => {
    expect(await partsOf(await get(`${series}/${CT_SERIES}`))).toBeArrayOfSize(3);
    expect(await partsOf(await get(`/studies/${STUDY}`))).toBeArrayOfSize(7);
    expect((await get(`/studies/${STUDY}`, { accept: "application/zip" })).status).toBe(406);
  });

  const long = `${instance("4")}/bulkdata/00091001`;

  test.each([
    ["bytes=0-3", 0, 3],
    ["bytes=1-1", 1, 1],
    ["bytes=1997-", 1_997, 1_999],
    ["bytes=-2", 1_998, 1_999],
    ["bytes=1990-5000", 1_990, 1_999],
  ])("bulk data are read in the range %s, bare and as a part", async (range, from, to) => {
    const whole = await bytesOf(await get(long, SINGLE));
    expect(whole.length).toBe(2_000);
    const named = `bytes ${from}-${to}/2000`;
    const bare = await get(long, { ...SINGLE, range });
    expect([bare.status, bare.headers.get("content-range")]).toEqual([206, named]);
    expect(await bytesOf(bare)).toEqual(whole.slice(from, to + 1));
    const related = await get(long, { ...MULTIPART, range });
    expect([related.status, related.headers.get("content-range")]).toEqual([206, named]);
    const [part] = await partsOf(related);
    expect(part?.head).toContain(`Content-Range: ${named}`);
    expect(part?.body).toEqual(Buffer.from(whole.slice(from, to + 1)));
  });

  test("bulk data behind their end are refused, and several ranges are answered whole", async () => {
    const behind = await get(long, { ...SINGLE, range: "bytes=2000-" });
    expect([behind.status, behind.headers.get("content-range")]).toEqual([416, "bytes */2000"]);
    const several = await get(long, { ...SINGLE, range: "bytes=0-1,4-5" });
    expect([several.status, (await bytesOf(several)).length]).toEqual([200, 2_000]);
    expect(several.headers.get("accept-ranges")).toBe("bytes");
    expect(several.headers.get("content-length")).toBe("2000");
  });

  test("a range is answered only of the version that If-Range names, and a known version not again", async () => {
    const etag = (await get(long, SINGLE)).headers.get("etag") ?? "";
    const other = (await get(`${instance("1")}/bulkdata/7FE00010`, SINGLE)).headers.get("etag") ?? "";
    expect(other).not.toBe(etag);
    const statusOf = async (headers: Record<string, string>) => (await get(long, headers)).status;
    expect(await statusOf({ ...SINGLE, range: "bytes=0-1", "if-range": etag })).toBe(206);
    expect(await statusOf({ ...SINGLE, range: "bytes=0-1", "if-range": other })).toBe(200);
    expect(await statusOf({ ...SINGLE, range: "bytes=0-1", "if-range": `W/${etag}` })).toBe(200);
    expect(await statusOf({ ...SINGLE, "if-none-match": etag })).toBe(304);
  });

  test("the pixel data fetched as bulk data are the frames", async () => {
    const native = await bytesOf(await get(`${instance("1")}/bulkdata/7FE00010`, SINGLE));
    expect(native.length).toBe(48);
    expect(await partsOf(await get(`${instance("2")}/bulkdata/7FE00010`, MULTIPART))).toBeArrayOfSize(2);
  });

  test.each([
    ["a value", long, [long]],
    ["native pixel data", `${instance("1")}/bulkdata/7FE00010`, [`${instance("1")}/bulkdata/7FE00010`]],
    [
      "encapsulated frames",
      `${instance("2")}/bulkdata/7FE00010`,
      [`${instance("2")}/frames/1`, `${instance("2")}/frames/2`],
    ],
  ])("each part of %s names an address that brings it alone", async (_what, path, locations) => {
    const parts = await partsOf(await get(path, MULTIPART));
    const named = parts.map(({ head }) => /^Content-Location: (.+)$/m.exec(head)?.[1]?.trim() ?? "");
    expect(named).toEqual(locations.map((location) => `/dicomweb/t/good${location}`));
    for (const [place, { body }] of parts.entries()) {
      const alone = await app.request(named[place] ?? "", { headers: SINGLE });
      expect(Buffer.from(await bytesOf(alone)).equals(body)).toBe(true);
    }
  });
});
