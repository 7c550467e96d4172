import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { zipSync } from "fflate";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import type { DicomJson } from "../../../src/shared/dicom/reading/instance.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

/* What DICOMweb leaves to HTTP (RFC 9110). */

let t: TestApp;
let ana: Person;
const study = `/dicomweb/studies/${studyUID("1")}`;
const instance = `${study}/series/2.25.2.1.1/instances/2.25.3.1.1.1`;

beforeAll(async () => {
  t = await createTestApp();
  ana = await t.addPerson("Ana Negocia");
  await t.store(ana, sampleZip({ study: "1" }));
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  t.call(method, path, { as: ana, headers });

describe("a form that the client refuses", () => {
  test.each([
    ["/dicomweb/studies", "application/dicom+json;q=0"],
    ["/dicomweb/studies", "*/*;q=0"],
    [`${instance}/frames/1`, "application/octet-stream;q=0, multipart/related;q=0"],
    [instance, "application/dicom;q=0"],
    [`${instance}/rendered`, "image/*;q=0"],
  ])("is not sent: %s for %s", async (path, Accept) => {
    expect((await ask(path, { Accept })).status).toBe(406);
  });

  test("is not said to be unchanged either", async () => {
    const { headers } = await ask(instance, { Accept: "application/dicom" });
    const known = { "If-None-Match": headers.get("etag") ?? "" };
    expect((await ask(instance, { ...known, Accept: "application/dicom" })).status).toBe(304);
    expect((await ask(instance, { ...known, Accept: "text/html" })).status).toBe(406);
  });
});

test.each([
  [`${study}/metadata`, "*/*"],
  [`${study}/series/2.25.2.1.1/metadata`, "*/*"],
  [`${instance}/metadata`, "application/dicom+xml"],
  [instance, "application/dicom"],
  [instance, "*/*"],
  [`${instance}/bulkdata/7FE00010`, "*/*"],
  [`${instance}/rendered`, "image/png"],
])(
  "an answer that is unchanged names the headers that the whole one depends on: %s for %s",
  async (path, Accept) => {
    const whole = await ask(path, { Accept });
    const vary = whole.headers.get("vary");
    expect([whole.status, vary]).toEqual([200, expect.stringContaining("Accept")]);
    const unchanged = await ask(path, { Accept, "If-None-Match": whole.headers.get("etag") ?? "" });
    expect([unchanged.status, unchanged.headers.get("vary")]).toEqual([304, vary]);
  },
);

test("a range of media types brings one of them", async () => {
  for (const [path, Accept, type] of [
    [instance, "text/html, application/*;q=0.5", "application/dicom"],
    [
      `${instance}/frames/1`,
      "application/*",
      "application/octet-stream; transfer-syntax=1.2.840.10008.1.2.1",
    ],
    [`${instance}/bulkdata/7FE00010`, "application/*", "application/octet-stream"],
  ] as const) {
    const answer = await ask(path, { Accept });
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 200, type]);
  }
  expect((await ask(`${instance}/frames/1`, { Accept: "image/*" })).status).toBe(406);
  expect((await ask(study, { Accept: "image/*" })).status).toBe(406);
});

test.each([
  ["/dicomweb/studies", "*/*, application/dicom+json;q=0", 'multipart/related; type="application/dicom+xml"'],
  [`${instance}/metadata`, "application/*, application/dicom+json;q=0", "application/dicom+xml"],
  [`${instance}/rendered`, "image/*, image/jpeg;q=0", "image/png"],
  [`${instance}/rendered`, "*/*;q=0.1, image/jpeg; q=0.0, image/png;q=0", "image/gif"],
  [instance, "*/*, multipart/related;q=0", "application/dicom"],
  [`${instance}/bulkdata/7FE00010`, "multipart/*;q=0, */*", "application/octet-stream"],
])("a range leaves out what the client refuses by name: %s for %s", async (path, Accept, type) => {
  const answer = await ask(path, { Accept });
  await answer.body?.cancel();
  expect([answer.status, answer.headers.get("content-type")?.slice(0, type.length)]).toEqual([200, type]);
});

test.each([
  ["/dicomweb/studies", "*/*, application/dicom+json;q=0, multipart/*;q=0"],
  [`${instance}/rendered`, "*/*, image/*;q=0"],
  [`${instance}/frames/1`, "*/*, application/octet-stream;q=0"],
  [study, "multipart/related;q=0, */*"],
  ["/fhir/ImagingStudy", "application/fhir+json;q=0"],
])("a range of which the client refuses everything brings nothing: %s for %s", async (path, Accept) => {
  expect((await ask(path, { Accept })).status).toBe(406);
});

test("a frame in JPEG XL has its media type", async () => {
  const JPEG_XL = "1.2.840.10008.1.2.4.110";
  const elements = {
    [TagHex.StudyInstanceUID]: { vr: "UI", Value: [studyUID("4")] },
    [TagHex.SeriesInstanceUID]: { vr: "UI", Value: ["2.25.2.4.1"] },
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: ["2.25.3.4.1.1"] },
    [TagHex.PixelData]: { vr: "OB", fragments: [Uint8Array.of(0xff, 0x0a)] },
  };
  await t.store(ana, zipSync({ IM1: sampleFile(elements, { transferSyntaxUID: JPEG_XL }) }));
  const frame = `/dicomweb/studies/${studyUID("4")}/series/2.25.2.4.1/instances/2.25.3.4.1.1/frames/1`;
  const answer = await ask(frame, { Accept: "image/jxl" });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    `image/jxl; transfer-syntax=${JPEG_XL}`,
  ]);
});

test("HEAD has no ranges", async () => {
  const path = `${instance}/bulkdata/7FE00010`;
  const Accept = "application/octet-stream";
  const length = (await ask(path, { Accept })).headers.get("content-length");
  for (const Range of ["bytes=0-3", "bytes=999999-"]) {
    const { status, headers } = await ask(path, { Accept, Range }, "HEAD");
    expect([status, headers.get("content-range"), headers.get("content-length")]).toEqual([
      200,
      null,
      length,
    ]);
  }
});

describe("several instances in syntaxes that the client names", () => {
  const JPEG = "1.2.840.10008.1.2.4.50";
  const JPEG_2000 = "1.2.840.10008.1.2.4.90";
  const files = (syntax: string) => `multipart/related; type="application/dicom"; transfer-syntax=${syntax}`;
  const mixed = `/dicomweb/studies/${studyUID("3")}`;

  beforeAll(async () => {
    const uids = (series: string, sop: string): DicomElements => ({
      [TagHex.StudyInstanceUID]: { vr: "UI", Value: [studyUID("3")] },
      [TagHex.SeriesInstanceUID]: { vr: "UI", Value: [`2.25.2.3.${series}`] },
      [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`2.25.3.3.${series}.${sop}`] },
    });
    const pixels = { [TagHex.PixelData]: { vr: "OB", fragments: [Uint8Array.of(1, 2)] } };
    const entries = {
      IM1: sampleFile(uids("1", "1")),
      IM2: sampleFile(uids("1", "2")),
      IM3: sampleFile({ ...uids("2", "1"), ...pixels }, { transferSyntaxUID: JPEG_2000 }),
    };
    await t.store(ana, zipSync(entries));
  });

  test.each([
    [mixed, files(JPEG)],
    [mixed, `${files(JPEG)}, ${files("1.2.3.4")}`],
    [`${mixed}/series/2.25.2.3.1`, files(JPEG_2000)],
  ])("are not sent if none is in one of them: %s as %s", async (path, Accept) => {
    expect((await ask(path, { Accept })).status).toBe(406);
  });

  test.each([
    [mixed, files(JPEG_2000)],
    [mixed, files("1.2.840.10008.1.2.1")],
    [mixed, `${files(JPEG)}, ${files("*")};q=0.1`],
    [`${mixed}/series/2.25.2.3.1`, 'multipart/related; type="application/dicom"'],
  ])("are sent if one is, or can be written so: %s as %s", async (path, Accept) => {
    const answer = await ask(path, { Accept });
    expect([answer.status, (await answer.text()).split("Content-Type: application/dicom;")]).toEqual([
      200,
      expect.objectContaining({ length: path === mixed ? 4 : 3 }),
    ]);
  });
});

test("a quoted parameter may have commas and semicolons in it", async () => {
  for (const [path, Accept, type] of [
    [instance, 'application/dicom; note="a;q=0"', "application/dicom"],
    [`${instance}/rendered`, 'text/html; note="x, image/png", image/gif', "image/gif"],
    [`${instance}/rendered`, 'text/html; note="a \\", image/png", image/gif', "image/gif"],
  ] as const) {
    const answer = await ask(path, { Accept });
    expect([Accept, answer.status, answer.headers.get("content-type")]).toEqual([Accept, 200, type]);
  }
  expect((await ask(instance, { Accept: 'application/dicom;q=0;note="' })).status).toBe(406);
});

test("a media type in the address needs no escape for its +", async () => {
  for (const accept of ["application/dicom+json", "application/dicom%2Bjson", "application/json"])
    expect((await ask(`/dicomweb/studies?accept=${accept}`)).status).toBe(200);
  expect((await ask("/dicomweb/studies?accept=application/dicom+xls")).status).toBe(406);
});

test("metadata and searches have the attributes of an instance in the order of their tags", async () => {
  const elements = {
    "20010010": { vr: "LO", Value: ["TESTE"] },
    "20011001": { vr: "LO", Value: ["x"] },
    "60003000": { vr: "OW", bytes: new Uint8Array(8) },
  };
  await t.store(ana, sampleZip({ study: "2", elements }));
  const other = `/dicomweb/studies/${studyUID("2")}`;
  for (const path of [`${other}/metadata`, `${other}/instances?includefield=all`]) {
    const text = await (await ask(path)).text();
    const tags = Array.from(text.matchAll(/"([0-9A-F]{8})":\{/g), ([, found = ""]) => found);
    expect(tags).toContain("20011001");
    expect(tags).toEqual(tags.toSorted());
  }
});

test("an instance has one version as a file and another in parts, which is weak", async () => {
  const [file, parts] = await Promise.all([
    ask(instance, { Accept: "application/dicom" }),
    ask(instance, { Accept: 'multipart/related; type="application/dicom"' }),
  ]);
  expect(file.headers.get("etag")).toStartWith('"');
  expect(parts.headers.get("etag")).toStartWith('W/"');
  const known = {
    Accept: 'multipart/related; type="application/dicom"',
    "If-None-Match": file.headers.get("etag") ?? "",
  };
  expect((await ask(instance, known)).status).toBe(200);
});

test("caches are told that the form depends on what the client accepts", async () => {
  for (const path of [study, instance, `${instance}/frames/1`, `${instance}/rendered`])
    expect([path, (await ask(path)).headers.get("vary")]).toEqual([path, "Accept"]);
});

test("HEAD says of no body that it is empty", async () => {
  for (const path of [study, `${study}/metadata`, "/dicomweb/studies", "/api/studies"]) {
    const { status, headers } = await ask(path, {}, "HEAD");
    expect([path, status, headers.get("transfer-encoding"), headers.get("content-length")]).toEqual([
      path,
      200,
      "chunked",
      null,
    ]);
  }
  const { headers } = await ask(instance, { Accept: "application/dicom" }, "HEAD");
  expect(Number(headers.get("content-length"))).toBeGreaterThan(500);
  expect(headers.get("transfer-encoding")).toBeNull();
});

test("who is nobody is told how to say who they are", async () => {
  for (const path of ["/dicomweb/studies", "/fhir/ImagingStudy", "/api/studies"]) {
    const answer = await t.call("GET", path);
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  }
  // Any number of spaces stands before the token (RFC 9110 §11.4).
  const headers = { authorization: `bearer  ${ana.token}` };
  expect((await t.call("GET", "/dicomweb/studies", { headers })).status).toBe(200);
});

test("a viewer's search within a study names pixels by an address that works from there", async () => {
  const data = Buffer.from(JSON.stringify([{ userId: ana.id, studyInstanceUID: studyUID("1") }])).toString(
    "base64url",
  );
  const { token } = (await (await ask(`/generate-token?data=${data}`)).json()) as { token: string };
  const viewed = `/dicomweb/t/${token}/studies/${studyUID("1")}`;
  for (const path of [`${viewed}/instances`, `${viewed}/series/2.25.2.1.1/instances`]) {
    const [found] = (await (await t.call("GET", `${path}?includefield=all`)).json()) as DicomJson[];
    const { BulkDataURI = "" } = { ...found?.[TagHex.PixelData] } as { BulkDataURI?: string };
    const { pathname } = new URL(BulkDataURI, `http://localhost${path}`);
    expect([BulkDataURI, (await t.call("GET", pathname)).status]).toEqual([BulkDataURI, 200]);
  }
});
