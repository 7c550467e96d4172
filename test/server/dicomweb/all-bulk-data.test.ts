import { describe, expect, spyOn, test } from "bun:test";
import type { ManifestInstance } from "../../../src/server/archive/manifest.ts";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import type { DicomwebCatalogue } from "../../../src/server/features/dicomweb/dicomweb.catalogue.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { dicomwebApp } from "../../support/app/dicomweb-app.ts";
import { createMemoryCatalogue } from "../../support/app/memory-catalogue.ts";
import {
  DEFLATED,
  EXPLICIT_BIG_ENDIAN,
  EXPLICIT_LITTLE_ENDIAN,
  JPEG_BASELINE,
  readTaken,
  sampleFile,
} from "../../support/dicom/dicom-sample.ts";
import { partsOf } from "../../support/dicom/parts-of.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { CT_SERIES, JPEG_2000, MIXED_SERIES, STUDY, sampleStudies } from "./sample-study.ts";

const PARTS = { accept: 'multipart/related; type="application/octet-stream"' };
const SINGLE = { accept: "application/octet-stream; transfer-syntax=*" };
const ROOT = "/dicomweb/t/x";

/** What a catalogue answers, of one whose `open` and `locate` are counted. */
function asking(catalogue: DicomwebCatalogue) {
  const app = dicomwebApp(() => catalogue);
  return async (path: string, headers: Record<string, string> = PARTS, method = "GET") =>
    await app.request(path, { headers, method });
}
type Get = ReturnType<typeof asking>;

const mine = createMemoryCatalogue(
  sampleStudies().filter(({ instance }) => instance.studyInstanceUID === STUDY),
);
const get = asking(mine);
const study = `${ROOT}/studies/${STUDY}`;
const instanceOf = (sop: string, series = MIXED_SERIES) =>
  `${study}/series/${series}/instances/${series}.${sop}`;

/** Of one instance with these elements, its only series, its address, and the elements' values. */
function single(elements: DicomElements, transferSyntaxUID = EXPLICIT_LITTLE_ENDIAN) {
  const bytes = sampleFile(elements, { transferSyntaxUID });
  const instance = readTaken(bytes);
  const catalogue = createMemoryCatalogue([{ bytes, instance }]);
  const { studyInstanceUID, seriesInstanceUID, sopInstanceUID } = instance;
  const series = `${ROOT}/studies/${studyInstanceUID}/series/${seriesInstanceUID}`;
  return { catalogue, instance, address: `${series}/instances/${sopInstanceUID}`, get: asking(catalogue) };
}

const locationsOf = async (answer: Response) => (await partsOf(answer)).map(({ location }) => location);

/** Each part is what its own address brings. */
async function expectEachAlone(ask: Get, answer: Response): Promise<number> {
  const parts = await partsOf(answer);
  for (const { location, body, contentType } of parts) {
    const alone = await ask(location, SINGLE);
    expect([location, alone.status]).toEqual([location, 200]);
    expect(body.equals(await alone.bytes()), location).toBe(true);
    expect(contentType).toStartWith("application/octet-stream");
  }
  return parts.length;
}

describe("all bulk data of a resource", () => {
  const ct = ["1", "2", "3"].map((sop) => `${instanceOf(sop, CT_SERIES)}/bulkdata/7FE00010`);
  const mixed = [
    `${instanceOf("1")}/bulkdata/7FE00010`,
    `${instanceOf("2")}/frames/1`,
    `${instanceOf("2")}/frames/2`,
    `${instanceOf("3")}/bulkdata/7FE00010`,
    `${instanceOf("4")}/bulkdata/00091001`,
    `${instanceOf("4")}/bulkdata/7FE00010`,
  ];
  const pixels = mixed.filter((location) => !location.endsWith("00091001"));

  test.each([
    ["a study", `${study}/bulkdata`, [...ct, ...mixed]],
    ["a series", `${study}/series/${MIXED_SERIES}/bulkdata`, mixed],
    ["an instance", `${instanceOf("4")}/bulkdata`, mixed.slice(-2)],
    ["a study, of which only pixels are asked for", `${study}/pixeldata`, [...ct, ...pixels]],
    ["a series, of which only pixels are asked for", `${study}/series/${MIXED_SERIES}/pixeldata`, pixels],
    ["an instance, of which only pixels are asked for", `${instanceOf("4")}/pixeldata`, mixed.slice(-1)],
    ["a study that is asked for as bytes", study, [...ct, ...mixed]],
    ["a series that is asked for as bytes", `${study}/series/${CT_SERIES}`, ct],
    ["an instance that is asked for as bytes", instanceOf("2"), mixed.slice(1, 3)],
  ])("of %s come as parts, each as its own address brings it", async (_what, path, locations) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toStartWith(
      'multipart/related; type="application/octet-stream"; boundary=',
    );
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    expect(answer.headers.get("vary")).toBe("Accept");
    expect(await locationsOf(answer)).toEqual(locations);
    expect(await expectEachAlone(get, await get(path))).toBe(locations.length);
  });

  test("say of compressed frames in which transfer syntax they are", async () => {
    const types = (await partsOf(await get(`${instanceOf("2")}/bulkdata`))).map(
      ({ contentType }) => contentType,
    );
    const type = `application/octet-stream; transfer-syntax=${JPEG_2000}`;
    expect(types).toEqual([type, type]);
  });

  test("come also to a client that takes anything, and files to one that likes them better", async () => {
    expect(await locationsOf(await get(`${study}/bulkdata`, { accept: "*/*" }))).toHaveLength(9);
    expect(await locationsOf(await get(`${study}/bulkdata`, {}))).toHaveLength(9);
    for (const accept of ["*/*", "multipart/*", `application/dicom, ${PARTS.accept}`]) {
      const answer = await get(instanceOf("1"), { accept });
      expect([accept, answer.headers.get("content-type")]).toEqual([
        accept,
        expect.stringContaining("application/dicom"),
      ]);
    }
    for (const other of ["application/dicom; q=0.5", "application/octet-stream", "image/jpeg"]) {
      const accept = `${other}, ${PARTS.accept}`;
      expect(await locationsOf(await get(instanceOf("1"), { accept }))).toHaveLength(1);
    }
  });

  test("are not sent without parts, as another type, or in a syntax that is not the stored one", async () => {
    const jpeg = { accept: 'multipart/related; type="image/jpeg"' };
    const other = { accept: `${PARTS.accept}; transfer-syntax=${EXPLICIT_LITTLE_ENDIAN}` };
    const stored = { accept: `${PARTS.accept}; transfer-syntax=${JPEG_2000}` };
    for (const name of ["bulkdata", "pixeldata"]) {
      expect((await get(`${study}/${name}`, SINGLE)).status).toBe(406);
      expect((await get(`${study}/${name}`, jpeg)).status).toBe(406);
      expect((await get(`${instanceOf("2")}/${name}`, other)).status).toBe(406);
      expect((await get(`${instanceOf("2")}/${name}`, stored)).status).toBe(200);
    }
  });

  test("are not there where there are none", async () => {
    const document = single({
      [TagHex.PixelData]: { vr: "OW" },
      "00420011": { vr: "OB", bytes: new Uint8Array(1_026).fill(7) },
    });
    const series = document.address.split("/instances/")[0];
    expect(await locationsOf(await document.get(`${series}/bulkdata`))).toEqual([
      `${document.address}/bulkdata/00420011`,
    ]);
    for (const path of [document.address, series])
      expect((await document.get(`${path}/pixeldata`)).status).toBe(404);
    const bare = single({ [TagHex.PixelData]: { vr: "OW" } });
    expect((await bare.get(`${bare.address}/bulkdata`)).status).toBe(404);
    expect((await get(`${ROOT}/studies/2.25.7/bulkdata`)).status).toBe(404);
    expect((await get(`${instanceOf("9")}/pixeldata`)).status).toBe(404);
  });

  test("are announced to HEAD, which reads no more of them", async () => {
    const opened = spyOn(mine, "open");
    const answer = await get(`${study}/bulkdata`, PARTS, "HEAD");
    expect([answer.status, (await answer.bytes()).length]).toEqual([200, 0]);
    expect(opened).not.toHaveBeenCalled();
    opened.mockRestore();
  });
});

describe("values of every kind", () => {
  const words = Uint8Array.from({ length: 2_000 }, (_, index) => index);
  const elements: DicomElements = {
    "00091001": { vr: "OW", bytes: words },
    "00091002": { vr: "OB", bytes: new Uint8Array(300_000).fill(3) },
    "00091003": { vr: "SQ", Value: [{}, { "00091004": { vr: "OF", bytes: words } }] },
    "20091001": { vr: "UN", bytes: words },
    "00880200": { vr: "SQ", Value: [{ [TagHex.PixelData]: { vr: "OW", bytes: words } }] },
    [TagHex.Rows]: { vr: "US", Value: [3] },
    [TagHex.Columns]: { vr: "US", Value: [3] },
    [TagHex.PixelData]: { vr: "OW", bytes: Uint8Array.from({ length: 20 }, (_, index) => index) },
  };
  const paths = [
    "00091001",
    "00091002",
    "00091003.2.00091004",
    "00880200.1.7FE00010",
    "20091001",
    "7FE00010",
  ];

  test.each([
    ["little-endian", EXPLICIT_LITTLE_ENDIAN],
    ["big-endian", EXPLICIT_BIG_ENDIAN],
    ["deflated", DEFLATED],
  ])("of a %s instance come in the order of its elements, each as it comes alone", async (_what, syntax) => {
    const { address, get } = single(elements, syntax);
    expect(await locationsOf(await get(`${address}/bulkdata`))).toEqual(
      paths.map((path) => `${address}/bulkdata/${path}`),
    );
    await expectEachAlone(get, await get(`${address}/bulkdata`));
    // A picture inside an item is no pixel data of the instance.
    expect(await locationsOf(await get(`${address}/pixeldata`))).toEqual([`${address}/bulkdata/7FE00010`]);
  });

  test.each(["7FE00008", "7FE00009"])("floating-point pixels (%s) are pixel data", async (tag) => {
    const bytes = sampleFile({
      [TagHex.PixelData]: { vr: "OW" },
      [tag]: { vr: tag === "7FE00008" ? "OF" : "OD", bytes: new Uint8Array(32).fill(5) },
    });
    const instance = readTaken(bytes);
    const ask = asking(createMemoryCatalogue([{ bytes, instance }]));
    const { studyInstanceUID, seriesInstanceUID, sopInstanceUID } = instance;
    const address = `${ROOT}/studies/${studyInstanceUID}/series/${seriesInstanceUID}/instances/${sopInstanceUID}`;
    const answer = await ask(`${address}/pixeldata`);
    expect((await partsOf(answer)).map(({ location, body }) => [location, body.length])).toEqual([
      [`${address}/bulkdata/${tag}`, 32],
    ]);
  });

  test("that can't be found are left out, and the pixels come", async () => {
    const { address, catalogue, get } = single(elements);
    const large = {
      ...catalogue,
      locate: async (_: unknown, all: readonly string[]) => all.map(() => undefined),
    };
    expect(await locationsOf(await asking(large)(`${address}/bulkdata`))).toEqual([
      `${address}/bulkdata/7FE00010`,
    ]);
    const [pixels] = await partsOf(await asking(large)(`${address}/pixeldata`));
    // Those of the frame, since only the search knows of what follows it.
    expect(pixels?.body.length).toBe(18);
    expect((await get(`${address}/bulkdata/7FE00010`, SINGLE)).headers.get("content-length")).toBe("20");
  });
});

describe("an instance with many values", () => {
  const COUNT = 300;
  const bytesOf = (index: number) => Buffer.alloc(1_030, index);
  const many: DicomElements = Object.fromEntries(
    Array.from({ length: COUNT }, (_, index) => [`0009${1000 + index}`, { vr: "OB", bytes: bytesOf(index) }]),
  );

  test.each([
    ["stored", EXPLICIT_LITTLE_ENDIAN],
    ["deflated", DEFLATED],
  ])("is searched once and read once, not for each of them: %s", async (_what, syntax) => {
    const { address, catalogue, get } = single(many, syntax);
    const called: string[] = [];
    for (const name of ["locate", "read", "open", "openInflated"] as const) {
      const original = catalogue[name] as (...args: unknown[]) => unknown;
      const counted = (...args: unknown[]) => {
        called.push(name);
        return original(...args);
      };
      Object.assign(catalogue, { [name]: counted });
    }
    const parts = await partsOf(await get(`${address}/bulkdata`));
    expect(parts.slice(0, COUNT).filter(({ body }, index) => !body.equals(bytesOf(index)))).toEqual([]);
    expect(parts).toHaveLength(COUNT + 1);
    const isDeflated = syntax === DEFLATED;
    // Of a deflated one, how long the pixel data are is read before.
    expect(called).toEqual(isDeflated ? ["openInflated", "locate", "openInflated"] : ["locate", "read"]);
  });
});

test.skipIf(!Bun.which("dcmdump"))("are what DCMTK reads of the files", async () => {
  await using folder = createTempFolder();
  const run = (...args: string[]) =>
    Bun.spawnSync(["dcmdump", "-q", ...args], { cwd: folder.path }).stdout.toString("latin1");
  const words = Uint8Array.from({ length: 2_000 }, (_, index) => index);
  const fragments = [words.slice(0, 20), words.slice(5, 35)];
  const big = single({ "00091001": { vr: "OW", bytes: words } }, EXPLICIT_BIG_ENDIAN);
  const jpeg = single(
    { "00280008": { vr: "IS", Value: [2] }, [TagHex.PixelData]: { vr: "OB", fragments } },
    JPEG_BASELINE,
  );
  for (const [name, { catalogue, instance, address, get }] of Object.entries({ big, jpeg })) {
    const parts = await partsOf(await get(`${address}/bulkdata`));
    const stored = await catalogue.manifest(instance.studyInstanceUID, instance.seriesInstanceUID);
    const file = await catalogue.open(stored?.instances[0] as ManifestInstance);
    await Bun.write(`${folder.path}/${name}`, file as Blob);
    run("+W", ".", name);
    // The first item of encapsulated pixel data is their offset table.
    const [from, count] = name === "jpeg" ? [1, 2] : [0, 1];
    for (const [index, { body }] of parts.slice(-count).entries()) {
      const raw = await Bun.file(`${folder.path}/${name}.${from + index}.raw`).bytes();
      expect([name, index, body.equals(raw)]).toEqual([name, index, true]);
    }
  }
  const [value] = await partsOf(await big.get(`${big.address}/bulkdata`));
  const printed = /OW ([0-9a-f\\]+)/.exec(run("+L", "+P", "0009,1001", "big"))?.[1]?.split("\\") ?? [];
  expect(printed).toHaveLength(1_000);
  expect(value?.body).toEqual(Buffer.from(printed.join(""), "hex").swap16());
});

test("of a long series no more than eight values are read ahead of what the client took", async () => {
  const uid = (number: number) => ({ vr: "UI", Value: [`1.2.826.0.1.${number}`] });
  const long = createMemoryCatalogue(
    Array.from({ length: 40 }, (_, index) => {
      const bytes = sampleFile({ [TagHex.SOPInstanceUID]: uid(index) });
      return { bytes, instance: readTaken(bytes) };
    }),
  );
  let reads = 0;
  const counted: DicomwebCatalogue = {
    ...long,
    read: (...args) => {
      reads++;
      return long.read(...args);
    },
  };
  const [only] = await long.studies();
  const { body } = await asking(counted)(`${ROOT}/studies/${only?.studyInstanceUID}/pixeldata`);
  const reader = body?.getReader();
  await Bun.sleep(0);
  // The first is read before the answer begins, since it may be damaged.
  expect(reads).toBe(1);
  for (let taken = 0; reads < 2; taken++) {
    expect(taken).toBeLessThan(4);
    await reader?.read();
  }
  await Bun.sleep(0);
  await reader?.cancel();
  expect(reads).toBe(1 + 1 + 8);
});
