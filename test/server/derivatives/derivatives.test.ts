import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { sweepDerivatives } from "../../../src/server/features/derivatives/derivatives.jobs.ts";
import { makeDerivatives } from "../../../src/server/features/derivatives/make-derivatives.ts";
import { relabelStudies } from "../../../src/server/features/ingest/relabel-study.ts";
import { listOrphans } from "../../../src/server/features/safekeeping/named-objects.repo.ts";
import { readCodec } from "../../../src/server/features/thumbnails/worker/read-codec.ts";
import { derivativeQueue } from "../../../src/server/holdings/holding-queues.ts";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createCodecs } from "../../../src/shared/pixels/wasm-codec.ts";
import { noise } from "../../support/app/damaged-study.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { noisySlices, SLICE_SIDE, sliceElements, sliceSamples } from "../../support/dicom/noisy-slices.ts";
import { partsOf } from "../../support/dicom/parts-of.ts";
import { filesBelow } from "../../support/program/stored-bytes.ts";
import { type SampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const HTJ2K = "1.2.840.10008.1.2.4.202";
const EXPLICIT = "1.2.840.10008.1.2.1";
const COPY = `image/jphc; transfer-syntax=${HTJ2K}`;
const COPY_OR_STORED = `${COPY}, application/octet-stream; transfer-syntax=*`;
const codecs = createCodecs(readCodec);
const never = new AbortController().signal;

let t: TestApp;
let owner: Person;

beforeAll(async () => {
  t = await createTestApp({ env: { DERIVATIVES: "on" } });
  owner = await t.addPerson("Dona da Cópia", { plan: "familia" });
});
afterAll(() => t[Symbol.asyncDispose]());

/** Stores slices and drops the job that would make their copy ten seconds later; returns the id of their study. */
async function storeWithoutCopy(
  study: string,
  slices: SampleInstance[] = noisySlices(study),
): Promise<string> {
  const { studies } = await t.store(owner, sampleZip(...slices));
  await t.deps.jobs.empty(derivativeQueue);
  // On a slow machine it already runs.
  await t.settle();
  return studies[0]?.id ?? "";
}

/** Stores slices and makes their copy; returns the id of their study. */
async function storeWithCopy(study: string, slices: SampleInstance[] = noisySlices(study)): Promise<string> {
  const id = await storeWithoutCopy(study, slices);
  await makeDerivatives(t.deps, id, never);
  return id;
}

const seriesPath = (study: string) => `/dicomweb/studies/${studyUID(study)}/series/2.25.2.${study}.1`;
const framePath = (study: string, sop = "1") =>
  `${seriesPath(study)}/instances/2.25.3.${study}.1.${sop}/frames/1`;
const get = (path: string, headers: Record<string, string> = {}) =>
  t.call("GET", path, { as: owner, headers });

async function copyOf(study: string) {
  const [row] = await t.sql<{ key: string | null; attempts: number | null }[]>`
    select key, attempts from derivatives where study_id =
      (select id from studies where study_instance_uid = ${studyUID(study)})`;
  return row;
}

const fileOf = (key: string) => join(t.deps.config.dataDir, "objects", key);

const bytesOf = (seed: number) => Uint8Array.from(Buffer.from(sliceSamples(seed).buffer));

async function samplesOf(answer: Response): Promise<ArrayLike<number>> {
  return (await codecs.decode("htJpeg2000", await answer.bytes())).samples;
}

describe("the copy of a series", () => {
  test("has the same samples, in fewer bytes, for clients that name its syntax", async () => {
    const [before] = await t.sql`select sum(bytes) as bytes from storage_tallies`;
    expect(before?.bytes).toBeNull();
    await storeWithCopy("1");
    const stored = await get(framePath("1", "3"), { accept: "application/octet-stream; transfer-syntax=*" });
    expect(stored.headers.get("content-type")).toBe(`application/octet-stream; transfer-syntax=${EXPLICIT}`);
    expect(await stored.bytes()).toEqual(bytesOf(2));

    for (const accept of [COPY, COPY_OR_STORED, `application/octet-stream; transfer-syntax=${HTJ2K}`]) {
      const answer = await get(framePath("1", "3"), { accept });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toEndWith(`; transfer-syntax=${HTJ2K}`);
      expect(answer.headers.get("vary")).toContain("Accept");
      expect(Array.from(await samplesOf(answer))).toEqual(Array.from(sliceSamples(2)));
    }
    const kept = await get(framePath("1"), { accept: `application/octet-stream, ${COPY}` });
    expect(kept.headers.get("content-type")).toEndWith(EXPLICIT);

    const related = `multipart/related; type="image/jphc"; transfer-syntax=${HTJ2K}`;
    const one = await get(framePath("1"), { accept: related });
    expect(one.headers.get("content-type")).toStartWith('multipart/related; type="image/jphc"');
    const many = await get(`${framePath("1").slice(0, -1)}1,1`, { accept: related });
    const [single, double] = [await partsOf(one), await partsOf(many)];
    expect(double).toEqual(single.concat(single));
    expect(single[0]?.location).toEndWith(framePath("1"));

    // The copy costs its owner nothing.
    const [counted] = await t.sql`select
      (select sum(bytes)::int from storage_tallies) = (select sum(size_bytes)::int from stored_objects) as same`;
    expect(counted).toEqual({ same: true });
  });

  test("gives a smaller picture for a range of a frame", async () => {
    const whole = await get(framePath("1"), { accept: COPY });
    const lengths = (whole.headers.get("htj2k-prefix-lengths") ?? "").split(", ").map(Number);
    const bytes = await whole.bytes();
    expect(lengths).toHaveLength(6);
    expect(lengths.at(-1)).toBe(bytes.length - 2);
    const [, , , , nearly = 0] = lengths;
    const part = await get(framePath("1"), { accept: COPY, range: `bytes=0-${nearly - 1}` });
    expect(part.status).toBe(206);
    expect(part.headers.get("content-range")).toBe(`bytes 0-${nearly - 1}/${bytes.length}`);
    const samples = await samplesOf(part);
    const error = sliceSamples(0).reduce((sum, value, i) => sum + Math.abs(value - (samples[i] ?? 0)), 0);
    expect(error / samples.length).toBeLessThan(20);
    const rest = await get(framePath("1"), { accept: COPY, range: `bytes=${nearly}-` });
    expect(Buffer.concat([bytes.subarray(0, nearly), await rest.bytes()])).toEqual(Buffer.from(bytes));
    const beyond = await get(framePath("1"), { accept: COPY, range: `bytes=${bytes.length}-` });
    expect(beyond.status).toBe(416);
    // The copy has no version that a client could name.
    const other = await get(framePath("1"), { accept: COPY, range: `bytes=${nearly}-`, "if-range": '"x"' });
    expect([other.status, await other.bytes()]).toEqual([200, bytes]);
  });

  test("is named in the metadata of each instance, in every coding", async () => {
    const json = async (path: string, coding: string) => {
      const answer = await get(`${path}/metadata`, { "accept-encoding": coding });
      const bytes = await answer.bytes();
      const isZstd = answer.headers.get("content-encoding") === "zstd";
      const text = isZstd
        ? zstdDecompressSync(bytes)
        : answer.headers.get("content-encoding") === "br"
          ? (await import("node:zlib")).brotliDecompressSync(bytes)
          : bytes;
      return {
        etag: answer.headers.get("etag"),
        items: JSON.parse(Buffer.from(text).toString()) as DicomJson[],
      };
    };
    const named = { vr: "UI", Value: [EXPLICIT, HTJ2K] };
    for (const coding of ["identity", "br", "zstd", "br"]) {
      const { items } = await json(seriesPath("1"), coding);
      expect(items).toHaveLength(9);
      for (const item of items) expect(item[TagHex.AvailableTransferSyntaxUID]).toEqual(named);
    }
    const one = await json(`${seriesPath("1")}/instances/2.25.3.1.1.9`, "identity");
    expect(one.items[0]?.[TagHex.AvailableTransferSyntaxUID]).toEqual(named);
    expect(one.items[0]?.[TagHex.SOPInstanceUID]?.Value).toEqual(["2.25.3.1.1.9"]);
    // A search says the same, and finds by it, in one series and in everything.
    for (const path of [
      `${seriesPath("1")}/instances?`,
      `/dicomweb/instances?StudyInstanceUID=${studyUID("1")}&`,
    ]) {
      const found = await t.call("GET", `${path}AvailableTransferSyntaxUID=${HTJ2K}`, { as: owner });
      const instances = (await found.json()) as DicomJson[];
      expect(instances).toHaveLength(9);
      for (const item of instances) expect(item[TagHex.AvailableTransferSyntaxUID]).toEqual(named);
    }
  });

  test("changes the version of the metadata, of the series and of the study", async () => {
    const id = await storeWithoutCopy("2");
    const paths = [`${seriesPath("2")}/metadata`, `/dicomweb/studies/${studyUID("2")}/metadata`];
    const before = await Promise.all(paths.map((path) => get(path)));
    await makeDerivatives(t.deps, id, never);
    for (const [index, path] of paths.entries()) {
      const etag = before[index]?.headers.get("etag") ?? "";
      const after = await get(path, { "if-none-match": etag });
      expect({ path, status: after.status }).toEqual({ path, status: 200 });
      expect((await after.json())[0][TagHex.AvailableTransferSyntaxUID].Value).toContain(HTJ2K);
      const again = await get(path, { "if-none-match": after.headers.get("etag") ?? "" });
      expect(again.status).toBe(304);
    }
  });

  test("goes with its study, and no check takes it for an orphan", async () => {
    const id = await storeWithCopy("3");
    const key = (await copyOf("3"))?.key ?? "";
    expect(filesBelow(join(t.deps.config.dataDir, "objects"))).toContain(key);
    expect(await listOrphans(t.sql, [key])).toEqual([]);
    expect((await t.call("DELETE", `/api/studies/${id}`, { as: owner })).status).toBe(200);
    await t.settle();
    expect(filesBelow(join(t.deps.config.dataDir, "objects"))).not.toContain(key);
    expect(await t.sql`select 1 from derivatives where key = ${key}`).toHaveLength(0);
  });

  test("is made again when the series grows", async () => {
    const id = await storeWithCopy("4");
    const old = (await copyOf("4"))?.key ?? "";
    const added = { study: "4", sop: "10", instanceNumber: 10, elements: sliceElements(10) };
    await storeWithoutCopy("4", [added]);
    const missing = await get(framePath("4", "10"), { accept: COPY });
    expect(missing.status).toBe(406);
    await makeDerivatives(t.deps, id, never);
    expect((await get(framePath("4", "10"), { accept: COPY })).status).toBe(200);
    await sweepDerivatives(t.deps, null);
    await t.settle();
    expect(filesBelow(join(t.deps.config.dataDir, "objects"))).not.toContain(old);
  });

  test("stays when the label of its study changes", async () => {
    const id = await storeWithCopy("31");
    const before = await copyOf("31");
    expect(before?.key).toBeString();
    await t.call("PATCH", `/api/studies/${id}`, { as: owner, json: { description: "Outra descrição" } });
    const manifestOf = () => t.sql`select manifest_id from series where study_id = ${id}`;
    const [former] = await manifestOf();
    await relabelStudies(t.deps, never);
    expect((await manifestOf())[0]).not.toEqual(former);
    expect(await copyOf("31")).toEqual(before);
    const answer = await get(framePath("31", "2"), { accept: COPY });
    expect(answer.status).toBe(200);
    expect(Array.from(await samplesOf(answer))).toEqual(Array.from(sliceSamples(1)));
    await sweepDerivatives(t.deps, null);
    await t.settle();
    expect(await copyOf("31")).toEqual(before);
    const metadata = (await (await get(`${seriesPath("31")}/metadata`)).json()) as DicomJson[];
    for (const one of metadata)
      expect(one[TagHex.AvailableTransferSyntaxUID]?.Value).toEqual([EXPLICIT, HTJ2K]);
  });
});

describe("a copy that is damaged", () => {
  /** Changes bytes of the object, and returns its key. */
  async function damage(study: string, at: (size: number) => number): Promise<string> {
    const key = (await copyOf(study))?.key ?? "";
    const bytes = readFileSync(fileOf(key));
    const place = at(bytes.length);
    bytes.fill(~(bytes[place] ?? 0) & 0xff, place, place + 4);
    writeFileSync(fileOf(key), bytes);
    return key;
  }

  test("is never shown: the original is, and the copy is made again", async () => {
    const id = await storeWithCopy("5");
    const key = await damage("5", () => 3_000);
    const answer = await get(framePath("5"), { accept: COPY_OR_STORED });
    expect(answer.headers.get("content-type")).toEndWith(EXPLICIT);
    expect(await answer.bytes()).toEqual(bytesOf(0));
    await t.settle();
    await makeDerivatives(t.deps, id, never);
    expect((await copyOf("5"))?.key).not.toBe(key);
    expect((await get(framePath("5"), { accept: COPY })).status).toBe(200);
    const study = await t.call("GET", `/api/studies/${id}`, { as: owner });
    expect(await study.json()).toMatchObject({ integrity: "unchecked" });
  });

  test("is not opened by a damaged index, and one that is gone is not missed", async () => {
    const id = await storeWithCopy("6");
    await damage("6", (size) => size - 20);
    expect((await get(framePath("6"), { accept: COPY })).status).toBe(406);
    await t.settle();
    await makeDerivatives(t.deps, id, never);
    expect((await get(framePath("6"), { accept: COPY })).status).toBe(200);
    // Whoever finds it gone has it made again, so only the first answer after each loss is certain.
    await t.deps.store.delete((await copyOf("6"))?.key ?? "");
    expect((await get(framePath("6"), { accept: COPY })).status).toBe(406);
    await t.settle();
    await makeDerivatives(t.deps, id, never);
    await t.deps.store.delete((await copyOf("6"))?.key ?? "");
    const answer = await get(framePath("6"), { accept: COPY_OR_STORED });
    expect(answer.headers.get("content-type")).toEndWith(EXPLICIT);
  });
});

describe("a series is left as it is", () => {
  test("if it is small, or its frames lose something, and is not tried again", async () => {
    const lossy = noisySlices("8").map((slice) => ({
      ...slice,
      elements: {
        ...slice.elements,
        [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["YBR_PARTIAL_420"] },
      },
    }));
    for (const [study, slices] of [
      ["7", noisySlices("7", 2)],
      ["8", lossy],
    ] as const) {
      await storeWithCopy(study, slices);
      expect(await copyOf(study)).toEqual({ key: null, attempts: null });
      expect((await get(framePath(study), { accept: COPY })).status).toBe(406);
      expect((await get(framePath(study), { accept: COPY_OR_STORED })).status).toBe(200);
    }
  });

  test("if its copy would not be smaller", async () => {
    const bytes = noise(SLICE_SIDE * SLICE_SIDE * 2);
    const sixteen = { vr: "US", Value: [16] };
    const noisy = noisySlices("13").map((slice) => ({
      ...slice,
      elements: {
        ...slice.elements,
        [TagHex.BitsStored]: sixteen,
        [TagHex.HighBit]: { vr: "US", Value: [15] },
        [TagHex.PixelData]: { vr: "OW", bytes },
      },
    }));
    await storeWithCopy("13", noisy);
    expect(await copyOf("13")).toEqual({ key: null, attempts: null });
  });

  test("while the disk is short of room", async () => {
    const id = await storeWithoutCopy("9");
    const space = async () => ({ freeBytes: 5, sizeBytes: 100 });
    await makeDerivatives({ ...t.deps, disk: { ...t.deps.disk, space } }, id, never);
    expect(await copyOf("9")).toBeUndefined();
    await makeDerivatives(t.deps, id, never);
    expect((await copyOf("9"))?.key).toEndWith(".htj2k");
  });

  test("for now if the job is killed, which leaves nothing behind", async () => {
    const id = await storeWithoutCopy("10");
    const killed = new AbortController();
    let frames = 0;
    const encoder = {
      ...t.deps.encoder,
      encode: async (...request: Parameters<typeof t.deps.encoder.encode>) => {
        if (++frames === 4) killed.abort(new Error("killed"));
        return await t.deps.encoder.encode(...request);
      },
    };
    await expect(makeDerivatives({ ...t.deps, encoder }, id, killed.signal)).rejects.toThrow("killed");
    expect(await copyOf("10")).toEqual({ key: null, attempts: 0 });
    expect(await t.sql`select 1 from uploads where state = 'receiving'`).toHaveLength(0);
    expect([...filesBelow(t.deps.node.stagingDir)]).toEqual([]);
    await makeDerivatives(t.deps, id, never);
    expect((await copyOf("10"))?.key).toEndWith(".htj2k");
  });

  test("after two processes of the server ended on it", async () => {
    const id = await storeWithoutCopy("11");
    const [series] = await t.sql`select manifest_id from series where study_id = ${id}`;
    await t.sql`insert into derivatives (manifest_id, study_id, attempts, tried_at)
      values (${series?.manifest_id}, ${id}, 2, now())`;
    await makeDerivatives(t.deps, id, never);
    expect(await copyOf("11")).toEqual({ key: null, attempts: 2 });
  });
});

test("without copies there are none to be had, and those that were made are deleted", async () => {
  const id = await storeWithCopy("12");
  const key = (await copyOf("12"))?.key ?? "";
  const off = { ...t.deps, config: { ...t.deps.config, hasDerivatives: false } };
  await sweepDerivatives(off, null);
  await t.settle();
  expect(await copyOf("12")).toBeUndefined();
  expect(filesBelow(join(t.deps.config.dataDir, "objects"))).not.toContain(key);
  expect(id).not.toBe("");
});
