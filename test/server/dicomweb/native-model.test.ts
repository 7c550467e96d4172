import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inPieces } from "../../../src/server/archive/pieces.ts";
import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import { nativeModelsResponse } from "../../../src/server/features/dicomweb/native-model/native-models.ts";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { asReadFromXml, readNativeModel, readParts } from "../../support/dicom/read-native-model.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { sampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const PARTS = 'multipart/related; type="application/dicom+xml"';
const DOCUMENT = "application/dicom+xml";

async function modelOf(dataSet: DicomJson, pieceBytes?: number): Promise<string> {
  const json = Buffer.from(JSON.stringify([dataSet]));
  async function* cut() {
    for (let at = 0; at < json.length; at += pieceBytes ?? json.length)
      yield json.subarray(at, at + (pieceBytes ?? json.length));
  }
  return await nativeModelsResponse(pieceBytes ? cut() : inPieces(json), "document", "identity").text();
}

describe("a Native DICOM Model", () => {
  const dataSet: DicomJson = {
    "00080005": { vr: "CS", Value: ["ISO_IR 192"] },
    "00080008": { vr: "CS", Value: ["ORIGINAL", null, "AXIAL"] },
    "00080050": { vr: "SH" },
    "00081140": { vr: "SQ", Value: [{ "00081155": { vr: "UI", Value: ["2.25.31"] } }, {}] },
    "00090010": { vr: "LO", Value: ['A & "B"'] },
    "00091001": { vr: "DS", Value: [1.5] },
    "00092001": { vr: "UN", InlineBinary: "AAE=" },
    "00100010": {
      vr: "PN",
      Value: [
        { Alphabetic: "Conceição^João^^Dr.", Ideographic: "王^小东" },
        null,
        { Alphabetic: "A^B^C^D^E^F" },
      ],
    },
    "00104000": { vr: "LT", Value: ["a < b & c\r\n\u000c\u0000\ud800 ]]>"] },
    "00280009": { vr: "AT", Value: ["3004000C"] },
    "00280010": { vr: "US", Value: [512] },
    "60020010": { vr: "US", Value: [2] },
    "7FE00010": { vr: "OW", BulkDataURI: 'https://x.example/a?b="c"&d' },
  };

  test("has the attributes of PS3.19 table A.1.5-2, read back as they were", async () => {
    const xml = await modelOf(dataSet);
    expect(readNativeModel(xml)).toEqual(asReadFromXml(dataSet));
    expect(xml).toStartWith(
      '<?xml version="1.0" encoding="UTF-8"?>\n<NativeDicomModel xmlns="http://dicom.nema.org/PS3.19/models/NativeDICOM" xml:space="preserve">',
    );
    for (const written of [
      '<DicomAttribute tag="00280010" vr="US" keyword="Rows"><Value number="1">512</Value></DicomAttribute>',
      '<Value number="2"></Value><Value number="3">AXIAL</Value>',
      '<DicomAttribute tag="00080050" vr="SH" keyword="AccessionNumber"></DicomAttribute>',
      '<DicomAttribute tag="00090001" vr="DS" privateCreator="A &amp; &quot;B&quot;">',
      // Nothing reserves this block.
      '<DicomAttribute tag="00092001" vr="UN"><InlineBinary>AAE=</InlineBinary>',
      "<FamilyName>Conceição</FamilyName><GivenName>João</GivenName><NamePrefix>Dr.</NamePrefix>",
      "<NameSuffix>E^F</NameSuffix>",
      "a &lt; b &amp; c&#13;\n\ufffd\ufffd\ufffd ]]&gt;",
      'tag="60020010" vr="US" keyword="OverlayRows"',
    ])
      expect(xml).toContain(written);
  });

  test("is the same however its JSON is cut", async () => {
    const xml = await modelOf(dataSet);
    for (const pieceBytes of [1, 7, 64]) expect(await modelOf(dataSet, pieceBytes)).toBe(xml);
  });

  test("is refused if its JSON is not what this program writes", async () => {
    for (const json of ['[{"00080005":{"Value":["a"]}}]', '[{"00080005":["a"]}]', "{}", '["a"]', "[{]"]) {
      const response = nativeModelsResponse(inPieces(Buffer.from(json)), "document", "identity");
      expect(await response.text().catch((error: Error) => error)).toBeInstanceOf(Error);
    }
  });
});

describe("data sets as application/dicom+xml", () => {
  let t: TestApp;
  let ana: Person;
  const study = `/dicomweb/studies/${studyUID("1")}`;
  const series = `${study}/series/2.25.2.1.1`;
  const instance = `${series}/instances/2.25.3.1.1.1`;
  const elements = {
    [TagHex.PatientName]: { vr: "PN", Value: ["Conceição^Ana^^Dra."] },
    [TagHex.ImageComments]: { vr: "LT", Value: ["a < b & c"] },
  };

  beforeAll(async () => {
    t = await createTestApp();
    ana = await t.addPerson("Ana Xis");
    await t.store(ana, sampleZip({ study: "1", elements }));
  }, 240_000);
  afterAll(() => t[Symbol.asyncDispose]());

  const ask = (path: string, headers: Record<string, string> = {}) =>
    t.call("GET", path, { as: ana, headers });

  test.each([
    "/dicomweb/studies",
    "/dicomweb/series",
    "/dicomweb/instances",
    `${study}/series`,
    `${study}/instances`,
    `${series}/instances`,
    `${study}/metadata`,
    `${series}/metadata`,
    `${instance}/metadata`,
  ])("say in parts what JSON says: %s", async (path) => {
    const json = (await (await ask(path)).json()) as DicomJson[];
    const answer = await ask(path, { Accept: PARTS });
    expect([answer.status, answer.headers.get("vary")]).toEqual([200, "Accept, Accept-Encoding"]);
    expect(answer.headers.get("content-type")).toStartWith(`${PARTS}; boundary=`);
    expect((await readParts(answer)).map(readNativeModel)).toEqual(json.map(asReadFromXml));
    // Any of them may be packed.
    const packed = await ask(path, { Accept: PARTS, "Accept-Encoding": "gzip" });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    const unpacked = new Response(Bun.gunzipSync(await packed.bytes()), { headers: packed.headers });
    expect(await readParts(unpacked)).toHaveLength(json.length);
  });

  test("of one instance are a document too, with a version of their own", async () => {
    const answer = await ask(`${instance}/metadata`, { Accept: DOCUMENT });
    expect(answer.headers.get("content-type")).toBe(DOCUMENT);
    const [json] = (await (await ask(`${instance}/metadata`)).json()) as DicomJson[];
    expect(readNativeModel(await answer.text())).toEqual(asReadFromXml(json ?? {}));
    const tags = await Promise.all(
      [DOCUMENT, PARTS, "application/dicom+json"].map(async (Accept) => {
        const { headers } = await ask(`${instance}/metadata`, { Accept });
        return headers.get("etag") ?? "";
      }),
    );
    expect(new Set(tags).size).toBe(3);
    const known = { Accept: DOCUMENT, "If-None-Match": tags[0] ?? "" };
    expect((await ask(`${instance}/metadata`, known)).status).toBe(304);
    // Several need parts (PS3.18 table 10.4.4-1, note 3).
    for (const path of [`${series}/metadata`, "/dicomweb/studies"])
      expect([path, (await ask(path, { Accept: DOCUMENT })).status]).toEqual([path, 406]);
  });

  test("come where a client likes them better than JSON", async () => {
    for (const [accept, type] of [
      [`${PARTS}, application/dicom+json`, "application/dicom+json"],
      [`${PARTS}, */*;q=0.5`, "multipart/related"],
      [`${PARTS};q=0.5, */*`, "application/dicom+json"],
      ["multipart/related", "multipart/related"],
      ["*/*", "application/dicom+json"],
    ] as const) {
      const answer = await ask("/dicomweb/studies", { Accept: accept });
      expect([accept, answer.headers.get("content-type")?.startsWith(type)]).toEqual([accept, true]);
    }
    expect((await ask("/dicomweb/studies", { Accept: 'multipart/related; type="image/png"' })).status).toBe(
      406,
    );
  });

  test("are no body where a search finds nothing", async () => {
    expect((await ask("/dicomweb/studies?PatientID=ninguem", { Accept: PARTS })).status).toBe(204);
    const data = Buffer.from(JSON.stringify([{ userId: ana.id, studyInstanceUID: studyUID("1") }])).toString(
      "base64url",
    );
    const { token } = (await (await ask(`/generate-token?data=${data}`)).json()) as { token: string };
    const viewed = `/dicomweb/t/${token}/studies/${studyUID("1")}/series`;
    expect((await ask(`${viewed}?SeriesNumber=99`, { Accept: PARTS })).status).toBe(204);
    expect((await ask(viewed, { Accept: PARTS })).status).toBe(200);
  });

  test("tell what STOW-RS stored", async () => {
    const body = Uint8Array.from(sampleInstance({ study: "2" }));
    const headers = { "content-type": "application/dicom", accept: DOCUMENT };
    const answer = await t.call("POST", "/dicomweb/studies", { as: ana, body, headers });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, DOCUMENT]);
    expect(readNativeModel(await answer.text())).toMatchObject({
      "00081199": { vr: "SQ", Value: [{ "00081155": { vr: "UI", Value: ["2.25.3.2.1.1"] } }] },
    });
  });

  /** DCMTK's own conversion, of a file whose private elements it does not know. */
  test.skipIf(!Bun.which("dcm2xml"))("are what DCMTK makes of the same instance", async () => {
    await using folder = await createTempFolder();
    const path = join(folder.path, "a.dcm");
    await Bun.write(path, sampleInstance({ study: "1", elements }));
    const { stdout } = Bun.spawnSync(["dcm2xml", "-nat", "+Xn", path], { timeout: 20_000 });
    const theirs = readNativeModel(stdout.toString().replaceAll(/>\n+</g, "><"));
    const ours = readNativeModel(await (await ask(`${instance}/metadata`, { Accept: DOCUMENT })).text());
    const shown = Object.entries(theirs).filter(([, { BulkDataURI }]) => BulkDataURI === undefined);
    expect(shown.length).toBeGreaterThan(15);
    for (const [tag, element] of shown)
      expect([tag, numbered(ours[tag]?.Value)]).toEqual([tag, numbered(element.Value)]);
  });
});

/** Decimal strings lose zeros in JSON. */
function numbered(values: unknown): unknown {
  return Array.isArray(values)
    ? values.map((value) => (/^[\d.-]+$/.test(value) && !/\..*\./.test(value) ? Number(value) : value))
    : values;
}

const SAMPLES = process.env.DICOM_SAMPLES;

describe.skipIf(!SAMPLES)("real files as Native DICOM Models", () => {
  test("say what their DICOM JSON says", async () => {
    const names = readdirSync(SAMPLES ?? "", { recursive: true }).map(String);
    let count = 0;
    for (const name of names.filter((one) => one.endsWith(".dcm"))) {
      const bytes = new Uint8Array(readFileSync(join(SAMPLES ?? "", name)));
      const read = readInstance(memorySource(bytes));
      if (!read.ok) continue;
      const { metadata } = read.instance;
      expect(readNativeModel(await modelOf(metadata)), name).toEqual(asReadFromXml(metadata));
      count++;
    }
    expect(count).toBeGreaterThan(100);
  }, 240_000);
});
