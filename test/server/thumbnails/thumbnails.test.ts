import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { zipSync } from "fflate";
import { generateStudy } from "../../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../../scripts/demo/zip-study.ts";
import { writeInstance } from "../../../src/server/dicom/write-instance.ts";
import { makeThumbnails } from "../../../src/server/features/thumbnails/make-thumbnails.ts";
import { sweepUnpictured } from "../../../src/server/features/thumbnails/thumbnails.jobs.ts";
import { StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import type { Series } from "../../../src/shared/api/studies.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { EXPLICIT_LITTLE_ENDIAN, sampleFile, sampleWithout } from "../../support/dicom/dicom-sample.ts";
import { drawnPicture } from "../../support/dicom/picture-pixels.ts";
import { type SampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const SIDE = 16;
const us = (value: number) => ({ vr: "US", Value: [value] });

let t: TestApp;
let owner: Person;
let stranger: Person;

beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Dona da Imagem", { plan: "familia" });
  stranger = await t.addPerson("Outra Pessoa");
});
afterAll(() => t[Symbol.asyncDispose]());

/** A slice that is bright above or below. */
function slice(instance: SampleInstance, bright: "above" | "below"): SampleInstance {
  const samples = Uint16Array.from({ length: SIDE * SIDE }, (_, i) =>
    i < (SIDE * SIDE) / 2 === (bright === "above") ? 1000 : 0,
  );
  const pixels = {
    [TagHex.Rows]: us(SIDE),
    [TagHex.Columns]: us(SIDE),
    [TagHex.BitsStored]: us(16),
    [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(samples.buffer) },
  };
  return { ...instance, elements: { ...pixels, ...instance.elements } };
}

async function store(...instances: SampleInstance[]): Promise<string> {
  return (await t.store(owner, sampleZip(...instances))).studies[0]?.id ?? "";
}

const get = (path: string, as = owner) => t.call("GET", `/api/studies/${path}`, { as });

async function brightPart(path: string): Promise<"above" | "below"> {
  const answer = await get(path);
  expect(answer.status).toBe(200);
  const picture = await drawnPicture(await answer.bytes());
  return picture.at(8, 3)[0] > picture.at(8, 12)[0] ? "above" : "below";
}

describe("the picture of a study", () => {
  test("shows the middle instance of its largest series, and is served only as an image", async () => {
    const study = { study: "20" };
    const id = await store(
      slice({ ...study, series: "1", sop: "1", instanceNumber: 1 }, "below"),
      slice({ ...study, series: "1", sop: "2", instanceNumber: 2 }, "above"),
      slice({ ...study, series: "1", sop: "3", instanceNumber: 3 }, "below"),
      slice(
        { ...study, series: "2", elements: { [TagHex.SeriesNumber]: { vr: "IS", Value: [1] } } },
        "below",
      ),
    );
    expect(await brightPart(`${id}/thumbnail`)).toBe("above");
    const { headers } = await get(`${id}/thumbnail`);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "image/webp",
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
    });
  });

  test("shows the series with the lower number if sizes are equal, and never one without a picture", async () => {
    const study = { study: "27" };
    const number = (value: number) => ({ [TagHex.SeriesNumber]: { vr: "IS", Value: [value] } });
    const empty = { ...number(1), [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array() } };
    const id = await store(
      slice({ ...study, series: "1", elements: number(9) }, "below"),
      slice({ ...study, series: "2", elements: number(4) }, "above"),
      slice({ ...study, series: "3", sop: "1", elements: empty }, "below"),
      slice({ ...study, series: "3", sop: "2", elements: empty }, "below"),
    );
    expect(await brightPart(`${id}/thumbnail`)).toBe("above");
  });

  test("is not found by anyone without access", async () => {
    const id = await store(slice({ study: "21" }, "above"));
    const [series] = (await (await get(`${id}/series`)).json()) as Series[];
    for (const path of [`${id}/thumbnail`, `${id}/series/${series?.id}/thumbnail`]) {
      expect((await get(path)).status).toBe(200);
      expect((await get(path, stranger)).status).toBe(404);
    }
    const other = await store(slice({ study: "22" }, "above"));
    expect((await get(`${other}/series/${series?.id}/thumbnail`)).status).toBe(404);
  });

  test("is deleted with its study", async () => {
    const id = await store(slice({ study: "23" }, "above"));
    expect(
      await t.sql`select 1 from series_thumbnails t join series s on s.id = t.series_id
      where s.study_id = ${id}`,
    ).toHaveLength(1);
    const before = await t.sql`select 1 from series_thumbnails`;
    await t.call("DELETE", `/api/studies/${id}`, { as: owner });
    expect(await t.sql`select 1 from series_thumbnails`).toHaveLength(before.length - 1);
  });
});

describe("a picture that an older release drew", () => {
  const grey = Buffer.from("an older picture");
  const drawnBefore = (studyId: string, image: Buffer | null) => t.sql`
    update series_thumbnails set image = ${image}, content_type = ${image && "image/webp"}, preview = '',
      failed = ${image === null}, drawn_as = 0
    where series_id in (select id from series where study_id = ${studyId})`;
  const broken = { ok: false, failure: "undecodable", detail: "" } as const;
  const drawing = (id: string, make: () => Promise<typeof broken>) =>
    makeThumbnails({ ...t.deps, pictures: { ...t.deps.pictures, make } }, id, new AbortController().signal);
  const away = () => Promise.reject(new StoreUnavailable("away"));
  const lookAgain = async (path: string) => {
    const answer = await get(path);
    await t.settle();
    return answer;
  };

  test("is shown until it is drawn anew, which a look asks for", async () => {
    const id = await store(slice({ study: "70" }, "above"));
    await drawnBefore(id, grey);
    await sweepUnpictured(t.deps, null);
    await t.settle();
    const first = await lookAgain(`${id}/thumbnail`);
    expect(first.headers.get("cache-control")).toBe("private, no-store");
    expect(Buffer.from(await first.bytes())).toEqual(grey);
    expect(await brightPart(`${id}/thumbnail`)).toBe("above");
    expect((await get(`${id}/thumbnail`)).headers.get("cache-control")).toBe("private, no-store");
    expect((await get(`${id}/thumbnail?size=512`)).status).toBe(200);
  });

  test("is tried anew where the older release could not draw it", async () => {
    const id = await store(slice({ study: "71" }, "below"));
    await drawnBefore(id, null);
    expect((await lookAgain(`${id}/series/2.25.2.71.1/thumbnail`)).status).toBe(204);
    expect(await brightPart(`${id}/series/2.25.2.71.1/thumbnail`)).toBe("below");
  });

  test("is kept, and not tried again, if this release can't draw it", async () => {
    const id = await store(slice({ study: "72" }, "above"));
    await drawnBefore(id, grey);
    let drawings = 0;
    const make = async () => {
      drawings++;
      return { ok: false, failure: "undecodable", detail: "" } as const;
    };
    const deps = { ...t.deps, pictures: { ...t.deps.pictures, make } };
    for (let runs = 0; runs < 2; runs++) await makeThumbnails(deps, id, new AbortController().signal);
    expect(drawings).toBe(1);
    const answer = await lookAgain(`${id}/thumbnail`);
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    expect(Buffer.from(await answer.bytes())).toEqual(grey);
  });

  test("is kept, if this release can't draw it, also after drawing was interrupted", async () => {
    const id = await store(slice({ study: "73" }, "above"));
    await drawnBefore(id, grey);
    await expect(drawing(id, away)).rejects.toThrow("away");
    await drawing(id, async () => broken);
    expect(Buffer.from(await (await lookAgain(`${id}/thumbnail`)).bytes())).toEqual(grey);
  });

  test("does not stand for other contents that can't be drawn, also after drawing was interrupted", async () => {
    const id = await store(slice({ study: "74" }, "above"));
    await drawnBefore(id, grey);
    await t.sql`update series_thumbnails set manifest_id = ${Bun.randomUUIDv7()}
      where series_id in (select id from series where study_id = ${id})`;
    await expect(drawing(id, away)).rejects.toThrow("away");
    await drawing(id, async () => broken);
    expect((await get(`${id}/thumbnail`)).status).toBe(204);
  });

  test("is shown though a new drawing can't be asked for", async () => {
    const id = await store(slice({ study: "75" }, "above"));
    await drawnBefore(id, grey);
    const { jobs } = t.deps;
    const enqueue = spyOn(jobs, "enqueue").mockRejectedValue(new Error("no standby"));
    try {
      const answer = await get(`${id}/thumbnail`);
      expect(answer.status).toBe(200);
      expect(Buffer.from(await answer.bytes())).toEqual(grey);
    } finally {
      enqueue.mockRestore();
    }
  });
});

describe("the picture of a series", () => {
  test("is made again when instances are added to it", async () => {
    const study = { study: "24" };
    const id = await store(slice({ ...study, sop: "1", instanceNumber: 1 }, "above"));
    const path = `${id}/series/2.25.2.24.1/thumbnail`;
    expect(await brightPart(path)).toBe("above");
    await store(slice({ ...study, sop: "2", instanceNumber: 2 }, "below"));
    expect(await brightPart(path)).toBe("below");
  });

  test.each([
    ["Float Pixel Data", TagHex.FloatPixelData, "OF", Float32Array],
    ["Double Float Pixel Data", TagHex.DoubleFloatPixelData, "OD", Float64Array],
  ] as const)("is drawn of %s without Bits Allocated", async (_, tag, vr, Samples) => {
    const samples = new Samples(SIDE * SIDE).fill(0.25).fill(0.75, 0, (SIDE * SIDE) / 2);
    const number = samples.BYTES_PER_ELEMENT;
    const uid = (value: string) => ({ vr: "UI", Value: [value] });
    const elements = {
      ...sampleWithout(TagHex.BitsAllocated, TagHex.PixelRepresentation, TagHex.PixelData),
      [TagHex.Rows]: us(SIDE),
      [TagHex.Columns]: us(SIDE),
      [TagHex.StudyInstanceUID]: uid(studyUID(`80.${number}`)),
      [TagHex.SeriesInstanceUID]: uid(`2.25.2.80.${number}`),
      [TagHex.SOPInstanceUID]: uid(`2.25.3.80.${number}`),
      [tag]: { vr, bytes: new Uint8Array(samples.buffer) },
    };
    const file = writeInstance({ transferSyntaxUID: EXPLICIT_LITTLE_ENDIAN, elements });
    const { studies } = await t.store(owner, zipSync({ IM1: file }));
    expect(await brightPart(`${studies[0]?.id}/thumbnail`)).toBe("above");
  });

  test("is missing if nothing can be drawn, and the other series have theirs", async () => {
    const study = { [TagHex.StudyInstanceUID]: { vr: "UI", Value: [studyUID("25")] } };
    const broken = sampleFile(
      {
        ...study,
        [TagHex.SeriesInstanceUID]: { vr: "UI", Value: ["2.25.2.25.1"] },
        [TagHex.SOPInstanceUID]: { vr: "UI", Value: ["2.25.3.25.1.1"] },
        [TagHex.PixelData]: { vr: "OB", fragments: [Uint8Array.from({ length: 64 }, (_, i) => i * 3)] },
      },
      { transferSyntaxUID: "1.2.840.10008.1.2.4.80" },
    );
    const { [TagHex.PixelData]: _, ...report } = slice({}, "above").elements ?? {};
    const files = {
      IM1: broken,
      IM2: sampleFile({
        ...slice({}, "above").elements,
        ...study,
        [TagHex.SeriesInstanceUID]: { vr: "UI", Value: ["2.25.2.25.2"] },
        [TagHex.SOPInstanceUID]: { vr: "UI", Value: ["2.25.3.25.2.1"] },
      }),
      IM3: sampleFile({
        ...report,
        ...study,
        [TagHex.SeriesInstanceUID]: { vr: "UI", Value: ["2.25.2.25.3"] },
        [TagHex.SOPInstanceUID]: { vr: "UI", Value: ["2.25.3.25.3.1"] },
        [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array() },
      }),
    };
    const id = (await t.store(owner, zipSync(files))).studies[0]?.id ?? "";
    expect((await get(`${id}/series/2.25.2.25.1/thumbnail`)).status).toBe(204);
    expect(await brightPart(`${id}/series/2.25.2.25.2/thumbnail`)).toBe("above");
    expect((await get(`${id}/series/2.25.2.25.3/thumbnail`)).status).toBe(204);
    expect(await brightPart(`${id}/thumbnail`)).toBe("above");
    const rows = await t.sql`select series_instance_uid as uid, failed from series_thumbnails t
      join series s on s.id = t.series_id where s.study_id = ${id} order by 1`;
    expect(rows.map(({ uid, failed }) => [uid, failed])).toEqual([
      ["2.25.2.25.1", true],
      ["2.25.2.25.2", false],
      ["2.25.2.25.3", false],
    ]);
  });
});

/** A head of `side` pixels, as noisy as real ones. */
async function storeHead(side: number): Promise<string> {
  const instances = generateStudy({ kind: "ct-head", seed: side, size: side, instances: 3 });
  return (await t.store(owner, await zipStudyBytes({ instances }))).studies[0]?.id ?? "";
}

describe("the preview of a study's first image", () => {
  test("has 512 pixels and 20 kB at most, for whoever may see the study, and the small picture stays small", async () => {
    const id = await storeHead(512);
    const [small, preview] = [`${id}/thumbnail`, `${id}/thumbnail?size=512`];
    const bytes = await (await get(preview)).bytes();
    expect(bytes.length).toBeLessThanOrEqual(20_000);
    const { width, height } = await new Bun.Image(bytes).metadata();
    expect(Math.max(width, height)).toBe(512);
    const drawn = await new Bun.Image(await (await get(small)).bytes()).metadata();
    expect(Math.max(drawn.width, drawn.height)).toBe(128);
    expect((await get(preview, stranger)).status).toBe(404);
    expect((await get(`${id}/thumbnail?size=513`)).status).toBe(400);
  });

  test("is made at the next start for a study that was archived without it, and tried twice at most", async () => {
    const id = await storeHead(256);
    const without = () => t.sql`update series_thumbnails set preview = null`;
    const size = async () => (await (await get(`${id}/thumbnail?size=512`)).bytes()).length;
    const whole = await size();
    await without();
    const small = await size();
    expect(small).toBeLessThan(whole);
    await sweepUnpictured(t.deps, null);
    await t.settle();
    expect(await size()).toBe(whole);
    await without();
    await t.sql`update series_thumbnails set attempts = 2`;
    await sweepUnpictured(t.deps, null);
    await t.settle();
    expect(await size()).toBe(small);
    await t.sql`update series_thumbnails set attempts = null`;
  });
});

test("a study that was archived without pictures gets them at the next start", async () => {
  const id = await store(slice({ study: "26" }, "above"));
  await t.sql`delete from series_thumbnails`;
  expect((await get(`${id}/thumbnail`)).status).toBe(204);
  await sweepUnpictured(t.deps, null);
  await t.settle();
  expect(await brightPart(`${id}/thumbnail`)).toBe("above");
});

/** The state after a process was killed while it made the picture. */
const interrupt = (id: string, attempts: number) => t.sql`
  update series_thumbnails t set image = null, content_type = null, failed = true, attempts = ${attempts}
  from series s where s.id = t.series_id and s.study_id = ${id}`;

test("a picture that crashed the process twice is not tried again at any start", async () => {
  const once = await store(slice({ study: "31" }, "above"));
  const twice = await store(slice({ study: "32" }, "above"));
  await interrupt(once, 1);
  await interrupt(twice, 2);
  await sweepUnpictured(t.deps, null);
  await t.settle();
  expect(await brightPart(`${once}/thumbnail`)).toBe("above");
  expect((await get(`${twice}/thumbnail`)).status).toBe(204);
  await t.store(owner, sampleZip(slice({ study: "32", sop: "2" }, "below")));
  expect(await brightPart(`${twice}/thumbnail`)).toBe("below");
});

test("a store that is out of reach when a picture is made does not use up the series' attempts", async () => {
  const id = await store(slice({ study: "33" }, "above"));
  await interrupt(id, 1);
  const away = { ...t.deps.series, manifest: async () => Promise.reject(new StoreUnavailable("away")) };
  for (let tries = 0; tries < 3; tries++) {
    const made = makeThumbnails({ ...t.deps, series: away }, id, new AbortController().signal);
    await expect(made).rejects.toBeInstanceOf(StoreUnavailable);
  }
  await makeThumbnails(t.deps, id, new AbortController().signal);
  expect(await brightPart(`${id}/thumbnail`)).toBe("above");
});
