import { afterAll, beforeAll, expect, test } from "bun:test";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { type SampleInstance, sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const document = {
  [TagHex.SOPClassUID]: { vr: "UI", Value: ["1.2.840.10008.5.1.4.1.1.88.11"] },
  [TagHex.PixelData]: { vr: "OW" },
} as const;
const STORED = "application/octet-stream; transfer-syntax=*";

let t: TestApp;
let owner: Person;

beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Dona do Exame");
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const numbered = (study: string, series: string, sops: number[]): SampleInstance[] =>
  sops.map((sop) => ({ study, series, sop: `${sop}`, instanceNumber: sop }));

async function store(...instances: SampleInstance[]): Promise<string> {
  return (await t.store(owner, sampleZip(...instances))).studies[0]?.id ?? "";
}

const ask = (id: string, part: "metadata" | "frame", headers: Record<string, string> = {}) =>
  t.call("GET", `/api/studies/${id}/first-image/${part}`, { as: owner, headers });

async function openingsOf(id: string): Promise<number> {
  const rows = await t.sql`select 1 from audit_events where study_id = ${id} and action = 'study.opened'`;
  return rows.length;
}

test("a viewer begins with the middle image of the largest series that has images", async () => {
  const documents = numbered("1", "9", [1, 2, 3, 4, 5, 6]).map((one) => ({ ...one, elements: document }));
  const id = await store(...numbered("1", "1", [1]), ...numbered("1", "2", [4, 1, 3, 2]), ...documents);
  const answer = await ask(id, "metadata");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/dicom+json"]);
  const metadata = (await answer.json()) as Record<string, { Value?: unknown[] }>[];
  const values = [TagHex.StudyInstanceUID, TagHex.SeriesInstanceUID, TagHex.SOPInstanceUID].map(
    (tag) => metadata[0]?.[tag]?.Value?.[0],
  );
  const path = `/dicomweb/studies/${studyUID("1")}/series/2.25.2.1.2/instances/2.25.3.1.2.2`;
  expect([metadata.length, ...values]).toEqual([1, studyUID("1"), "2.25.2.1.2", "2.25.3.1.2.2"]);

  const frame = await ask(id, "frame", { accept: STORED });
  expect([frame.status, frame.headers.get("content-location")]).toEqual([200, `${path}/frames/1`]);
  expect(frame.headers.get("cache-control")).toBe("private, no-store");
  const same = await t.call("GET", `${path}/frames/1`, { as: owner, headers: { accept: STORED } });
  expect(frame.headers.get("content-type")).toBe(same.headers.get("content-type"));
  expect(await frame.bytes()).toEqual(await same.bytes());
  expect((await ask(id, "frame", { accept: "image/jphc; transfer-syntax=1.2.3" })).status).toBe(406);
});

test("a viewer's token and its first image are one opening, whichever comes first", async () => {
  const token = (id: string) => {
    const data = Buffer.from(JSON.stringify([{ userId: owner.id, id }])).toString("base64url");
    return () => t.call("GET", `/generate-token?data=${data}`, { as: owner });
  };
  for (const [index, order] of ["image first", "token first", "both at once"].entries()) {
    const id = await store(...numbered(`4${index}`, "1", [1, 2, 3]));
    const asked = [() => ask(id, "metadata"), () => ask(id, "frame"), token(id)];
    if (order === "token first") asked.reverse();
    const answers = order === "both at once" ? await Promise.all(asked.map((one) => one())) : [];
    if (answers.length === 0) for (const one of asked) answers.push(await one());
    expect([order, ...answers.map(({ status }) => status)]).toEqual([order, 200, 200, 200]);
    expect([order, await openingsOf(id)]).toEqual([order, 1]);
    await token(id)();
    expect([order, await openingsOf(id)]).toEqual([order, 2]);
  }
});

test("what a session reads without a viewer is one opening an hour", async () => {
  const id = await store(...numbered("6", "1", [1, 2]));
  const series = `/dicomweb/studies/${studyUID("6")}/series/2.25.2.6.1`;
  const read = async (path: string) => (await t.call("GET", `${series}${path}`, { as: owner })).status;
  expect(await read("/instances/2.25.3.6.1.1/frames/1")).toBe(200);
  expect(await openingsOf(id)).toBe(1);
  expect([await read("/instances/2.25.3.6.1.2/frames/1"), await read("/metadata")]).toEqual([200, 200]);
  expect(await openingsOf(id)).toBe(1);
  t.advance(3600_001);
  expect(await read("/metadata")).toBe(200);
  expect(await openingsOf(id)).toBe(2);
});

test("a study of documents or of films has no first image", async () => {
  const film = {
    [TagHex.NumberOfFrames]: { vr: "IS", Value: ["2"] },
    [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(16) },
  };
  for (const [study, elements] of [
    ["2", document],
    ["3", film],
  ] as const) {
    const id = await store({ study, elements });
    for (const part of ["metadata", "frame"] as const) {
      const answer = await ask(id, part);
      expect([study, part, answer.status, await answer.text()]).toEqual([study, part, 204, ""]);
    }
  }
});

test("a study that a viewer may not open yet, or no more, has none either", async () => {
  const id = await store(...numbered("5", "1", [1]));
  for (const change of [{ storage_status: "transferring" }, { integrity: "missing" }]) {
    await t.sql`update studies set ${t.sql(change)} where id = ${id}`;
    const data = Buffer.from(JSON.stringify([{ userId: owner.id, id }])).toString("base64url");
    const token = await t.call("GET", `/generate-token?data=${data}`, { as: owner });
    for (const part of ["metadata", "frame"] as const)
      expect([change, (await ask(id, part)).status]).toEqual([change, token.status]);
    expect(token.ok).toBe(false);
    await t.sql`update studies set storage_status = 'b2', integrity = 'unchecked' where id = ${id}`;
  }
});

test("HEAD of DICOMweb sends nothing of a study, and so opens none", async () => {
  const id = await store(...numbered("77", "1", [1, 2]));
  const study = `/dicomweb/studies/${studyUID("77")}`;
  for (const path of ["/metadata", "/series", "/rendered"])
    expect((await t.call("HEAD", `${study}${path}`, { as: owner })).status, path).toBe(200);
  expect(await openingsOf(id)).toBe(0);
  expect((await t.call("GET", `${study}/metadata`, { as: owner })).status).toBe(200);
  expect(await openingsOf(id)).toBe(1);
});
