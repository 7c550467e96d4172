import { afterAll, beforeAll, expect, test } from "bun:test";
import { api } from "dicomweb-client";
import { makeDerivatives } from "../../../src/server/features/derivatives/make-derivatives.ts";
import { readCodec } from "../../../src/server/features/thumbnails/worker/read-codec.ts";
import { dicomwebExamples } from "../../../src/server/render/api-examples.ts";
import { ENCAPSULATED_PDF } from "../../../src/shared/dicom/sop-class.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createCodecs } from "../../../src/shared/pixels/wasm-codec.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { FetchingXMLHttpRequest } from "../../support/app/xml-http-request.ts";
import { encoders } from "../../support/dicom/compressed-pixels.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";
import { noisySlices, SLICE_SIDE, sliceElements, sliceSamples } from "../../support/dicom/noisy-slices.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

/** The client that OHIF and others use, as npm has it, against a server of ours. */
const JPEG_2000 = "1.2.840.10008.1.2.4.90";
let t: TestApp;
let server: ReturnType<typeof Bun.serve>;
let owner: Person;
let token: string;
const warnings: string[] = [];
/** The calls of its documentation; the types that come with it ask for more than the calls do. */
let client: Record<
  | "searchForStudies"
  | "searchForSeries"
  | "searchForInstances"
  | "retrieveStudyMetadata"
  | "retrieveSeriesMetadata"
  | "retrieveInstanceMetadata",
  (options: object) => Promise<unknown[]>
> &
  Record<
    "retrieveStudy" | "retrieveSeries" | "retrieveInstanceFrames" | "retrieveBulkData",
    (options: object) => Promise<ArrayBuffer[]>
  > &
  Record<"storeInstances" | "retrieveInstance", (options: object) => Promise<ArrayBuffer>> &
  Record<"retrieveInstanceRendered", (options: object) => Promise<ArrayBuffer | ArrayBuffer[]>>;
beforeAll(async () => {
  t = await createTestApp({ env: { DERIVATIVES: "on" } });
  server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    async fetch(request) {
      const answer = await t.app.fetch(request);
      warnings.push(...(answer.headers.get("warning")?.split(", 299 ") ?? []));
      return answer;
    },
  });
  Object.assign(globalThis, { XMLHttpRequest: FetchingXMLHttpRequest });
  owner = await t.addPerson("Quem Programa");
  const json = { name: "dicomweb-client", scopes: ["dicomweb:read", "dicomweb:write"] };
  const made = await t.call("POST", "/api/tokens", { as: owner, json });
  ({ token } = (await made.json()) as { token: string });
  client = new api.DICOMwebClient({
    url: `http://127.0.0.1:${server.port}/dicomweb`,
    headers: { Authorization: `Bearer ${token}` },
    singlepart: false,
    verbose: false,
  }) as unknown as typeof client;
}, 240_000);
afterAll(async () => {
  Reflect.deleteProperty(globalThis, "XMLHttpRequest");
  await server.stop(true);
  await t[Symbol.asyncDispose]();
});

const files = ["1", "2"].map((sop) => sampleInstance({ study: "1", sop, instanceNumber: Number(sop) }));
const studyInstanceUID = studyUID("1");
const seriesInstanceUID = "2.25.2.1.1";
const sopInstanceUID = "2.25.3.1.1.1";
const series = { studyInstanceUID, seriesInstanceUID };
const sizesOf = (buffers: ArrayBuffer[]) => buffers.map(({ byteLength }) => byteLength);

test("dicomweb-client stores, finds, reads and draws instances", async () => {
  const datasets = files.map((file) => Uint8Array.from(file).buffer);
  await client.storeInstances({ datasets });
  await t.settle();

  const queryParams = { StudyInstanceUID: studyInstanceUID, fuzzymatching: true, limit: 10 };
  expect(await client.searchForStudies({ queryParams })).toHaveLength(1);
  expect(await client.searchForStudies({ queryParams: { PatientID: "nobody" } })).toEqual([]);
  expect(await client.searchForSeries({ studyInstanceUID })).toHaveLength(1);
  expect(await client.searchForSeries({ queryParams: { Modality: "CT" } })).toHaveLength(1);
  expect(await client.searchForInstances(series)).toHaveLength(2);
  expect(warnings).toEqual([]);

  expect(await client.retrieveStudyMetadata({ studyInstanceUID })).toHaveLength(2);
  expect(await client.retrieveSeriesMetadata(series)).toHaveLength(2);
  const metadata = await client.retrieveInstanceMetadata({ ...series, sopInstanceUID });
  expect(JSON.stringify(metadata)).toContain(TagHex.PatientName);

  const [first] = files;
  const one = await client.retrieveInstance({ ...series, sopInstanceUID });
  expect(new Uint8Array(one)).toEqual(Uint8Array.from(first ?? []));
  const sizes = sizesOf(datasets);
  expect(sizesOf(await client.retrieveSeries(series))).toEqual(sizes);
  expect(sizesOf(await client.retrieveStudy({ studyInstanceUID }))).toEqual(sizes);
  const frames = await client.retrieveInstanceFrames({ ...series, sopInstanceUID, frameNumbers: [1] });
  expect(sizesOf(frames)).toEqual([8]);
  const mediaTypes = [{ mediaType: "image/png" }];
  const pictures = [await client.retrieveInstanceRendered({ ...series, sopInstanceUID, mediaTypes })];
  const [picture = new ArrayBuffer()] = pictures.flat();
  expect(new Uint8Array(picture).subarray(1, 4)).toEqual(new TextEncoder().encode("PNG"));
});

test("dicomweb-client reads frames of the lossless HTJ2K copy by its media type", async () => {
  const { studies } = await t.store(owner, sampleZip(...noisySlices("7")));
  await makeDerivatives(t.deps, studies[0]?.id ?? "", new AbortController().signal);
  const path = { studyInstanceUID: studyUID("7"), seriesInstanceUID: "2.25.2.7.1" };
  const frame = { ...path, sopInstanceUID: "2.25.3.7.1.1", frameNumbers: [1] };
  // The only name under which this client knows it.
  const copied = { mediaType: "image/jhc", transferSyntaxUID: "1.2.840.10008.1.2.4.202" };
  const native = { mediaType: "application/octet-stream", transferSyntaxUID: "1.2.840.10008.1.2.1" };
  const mediaTypes = [copied, native];
  const [copy = new ArrayBuffer()] = await client.retrieveInstanceFrames({ ...frame, mediaTypes });
  const { samples } = await createCodecs(readCodec).decode("htJpeg2000", new Uint8Array(copy));
  expect(Array.from(samples)).toEqual(Array.from(sliceSamples(0)));
  const stored = [{ mediaType: "application/octet-stream" }];
  const sizes = sizesOf(await client.retrieveInstanceFrames({ ...frame, mediaTypes: stored }));
  expect(sizes).toEqual([sliceSamples(0).byteLength]);
});

test("dicomweb-client, which decodes nothing, reads a frame of JPEG 2000 as native pixels", async () => {
  const samples = new Uint8Array(sliceSamples(0).buffer);
  const frame = {
    width: SLICE_SIDE,
    height: SLICE_SIDE,
    bitsPerSample: 16,
    componentCount: 1,
    samples,
  } as const;
  const fragments = [(await encoders[JPEG_2000]?.(frame)) ?? new Uint8Array()];
  const elements = {
    ...sliceElements(0),
    [TagHex.BitsStored]: { vr: "US", Value: [16] },
    [TagHex.HighBit]: { vr: "US", Value: [15] },
    [TagHex.PixelData]: { vr: "OB", fragments },
  };
  const path = {
    studyInstanceUID: studyUID("9"),
    seriesInstanceUID: "2.25.2.9.1",
    sopInstanceUID: "2.25.3.9.1.1",
  };
  const uids = {
    [TagHex.StudyInstanceUID]: { vr: "UI", Value: [path.studyInstanceUID] },
    [TagHex.SeriesInstanceUID]: { vr: "UI", Value: [path.seriesInstanceUID] },
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [path.sopInstanceUID] },
  };
  const stored = sampleFile({ ...elements, ...uids }, { transferSyntaxUID: JPEG_2000 });
  await client.storeInstances({ datasets: [Uint8Array.from(stored).buffer] });
  await t.settle();
  const transferSyntaxUID = "1.2.840.10008.1.2.1";
  const bytes = [{ mediaType: "application/octet-stream", transferSyntaxUID }];
  const [native] = await client.retrieveInstanceFrames({ ...path, frameNumbers: [1], mediaTypes: bytes });
  expect(Buffer.from(native ?? new ArrayBuffer()).equals(samples)).toBe(true);
});

test("dicomweb-client has the PDF of an Encapsulated PDF rendered", async () => {
  const pdf = Buffer.from("%PDF-1.7\nlaudo\n%%EOF");
  const elements = {
    [TagHex.SOPClassUID]: { vr: "UI", Value: [ENCAPSULATED_PDF] },
    [TagHex.EncapsulatedDocument]: { vr: "OB", bytes: pdf },
    [TagHex.PixelData]: { vr: "OW" },
  };
  await t.store(owner, sampleZip({ study: "10", elements }));
  const path = { studyInstanceUID: studyUID("10"), seriesInstanceUID: "2.25.2.10.1" };
  // It knows no type of documents that it could name here.
  const answer = await client.retrieveInstanceRendered({ ...path, sopInstanceUID: "2.25.3.10.1.1" });
  const [rendered = new ArrayBuffer()] = [answer].flat();
  expect(Buffer.from(rendered).subarray(0, pdf.length).equals(pdf)).toBe(true);
});

test("dicomweb-client retrieves all bulk data of a study, series and instance, also of a large file", async () => {
  const values = [new Uint8Array(600_000).fill(1), new Uint8Array(1_026).fill(2), new Uint8Array(8).fill(3)];
  const [document, inItem, pixels] = values;
  const elements = {
    "00420011": { vr: "OB", bytes: document },
    "00431001": { vr: "SQ", Value: [{}, { "00431002": { vr: "OB", bytes: inItem } }] },
    [TagHex.PixelData]: { vr: "OW", bytes: pixels },
  };
  await t.store(owner, sampleZip({ study: "8", elements }));
  const study = `http://127.0.0.1:${server.port}/dicomweb/studies/${studyUID("8")}`;
  const resources = [
    study,
    `${study}/series/2.25.2.8.1`,
    `${study}/series/2.25.2.8.1/instances/2.25.3.8.1.1`,
  ];
  for (const resource of resources) {
    // It asks for parts of bytes here alone; its calls for files take no other type.
    for (const BulkDataURI of [`${resource}/bulkdata`, resource])
      expect((await client.retrieveBulkData({ BulkDataURI })).map((one) => new Uint8Array(one))).toEqual(
        values,
      );
    expect(sizesOf(await client.retrieveBulkData({ BulkDataURI: `${resource}/pixeldata` }))).toEqual([8]);
  }
});

test("the examples for curl do what the page of the API says", async () => {
  await using folder = createTempFolder();
  const [curl] = dicomwebExamples(`http://127.0.0.1:${server.port}`);
  await Bun.write(`${folder.path}/image.dcm`, sampleInstance({ study: "2" }));
  const script = (curl?.code ?? "").replaceAll("1.2.3", studyUID("2")).replace("exm_…", token);
  const child = Bun.spawn(["bash", "-ec", script.replaceAll("curl -s", "curl -sf")], { cwd: folder.path });
  const said = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  expect(said).toContain(TagHex.ReferencedSOPSequence);
  const picture = await Bun.file(`${folder.path}/image.jpg`).bytes();
  expect([...picture.subarray(0, 2)]).toEqual([0xff, 0xd8]);
});

test("a base address that ends with a slash is as good as one without", async () => {
  const base = `http://127.0.0.1:${server.port}`;
  const headers = { Authorization: `Bearer ${token}` };
  const slashed = new api.DICOMwebClient({
    url: `${base}/dicomweb/`,
    headers,
    singlepart: false,
  }) as unknown as typeof client;
  const found = (await slashed.searchForStudies({ queryParams: { limit: 1 } })) as object[];
  expect(found).toHaveLength(1);
  const [metadata] = (await slashed.retrieveInstanceMetadata({ ...series, sopInstanceUID })) as unknown[];
  expect(metadata).toBeDefined();
  const statusOf = async (method: string, path: string) =>
    (await fetch(`${base}${path}`, { method, headers })).status;
  const ofInstance = `studyUID=${studyInstanceUID}&seriesUID=${seriesInstanceUID}&objectUID=${sopInstanceUID}`;
  for (const path of [
    "/dicomweb/studies/?limit=1",
    "//dicomweb//studies",
    `/dicomweb/studies/${studyInstanceUID}/metadata/`,
    `/wado/?requestType=WADO&contentType=application/dicom&${ofInstance}`,
    "/fhir//metadata",
    "/fhir/ImagingStudy/?_count=1",
  ])
    expect([path, await statusOf("GET", path)]).toEqual([path, 200]);
  // The target of a request for capabilities (PS3.18 §8.9.1).
  expect(await statusOf("OPTIONS", "/dicomweb/")).toBe(200);
  // A UID that a program left out leads to nothing else.
  for (const path of [
    "/dicomweb/studies//series",
    "/dicomweb/studies//metadata",
    "/fhir",
    "/fhir/",
    "/api/studies/",
  ])
    expect([path, await statusOf("GET", path)]).toEqual([path, 404]);
});
