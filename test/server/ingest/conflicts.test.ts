import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import { unzipSync, zipSync } from "fflate";
import type { Study } from "../../../src/shared/api/studies.ts";
import type { UploadAnswer } from "../../../src/shared/api/upload.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleInstance } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let person: Person;
beforeAll(async () => {
  t = await createTestApp();
  person = await t.addPerson("Dois Arquivos", { plan: "clinica" });
});
afterAll(() => t[Symbol.asyncDispose]());

/** An instance of a study under one and the same SOP Instance UID, with pixels of its own. */
function instance(study: string, pixel: number, more: { series?: string; sop?: string } = {}): Uint8Array {
  return sampleInstance({
    study,
    ...more,
    elements: { [TagHex.PixelData]: { vr: "OW", bytes: Uint8Array.of(pixel, 2, 3, 4, 5, 6, 7, 8) } },
  });
}

const sop = (study: string) => `2.25.3.${study}.1.1`;
const send = (files: Record<string, Uint8Array>) => t.store(person, zipSync(files));
const hashes = (files: Iterable<Uint8Array>) => Array.from(files, (bytes) => Bun.hash(bytes)).sort();

async function downloaded({ studies }: UploadAnswer): Promise<Uint8Array[]> {
  const answer = await t.call("GET", `/api/studies/${studies[0]?.id}/download`, { as: person });
  return Object.values(unzipSync(new Uint8Array(await answer.arrayBuffer())));
}

async function shownFrame(answer: UploadAnswer): Promise<number | undefined> {
  const [study] = answer.studies;
  const data = btoa(JSON.stringify([{ userId: person.id, id: study?.id }]));
  const { token } = (await (await t.call("GET", `/generate-token?data=${data}`, { as: person })).json()) as {
    token: string;
  };
  const series = study?.studyInstanceUID.replace("2.25.1.", "2.25.2.");
  const path = `/dicomweb/t/${token}/studies/${study?.studyInstanceUID}/series/${series}.1/instances`;
  const uid = series?.replace("2.25.2.", "2.25.3.");
  const frame = await t.call("GET", `${path}/${uid}.1.1/frames/1`, {
    as: person,
    headers: { accept: "application/octet-stream; transfer-syntax=*" },
  });
  return new Uint8Array(await frame.arrayBuffer())[0];
}

describe("two different instances under one SOP Instance UID", () => {
  test("are both kept if one ZIP has them: the first is shown, a download has both", async () => {
    const files = { "a/1.dcm": instance("1", 10), "b/1.dcm": instance("1", 20) };
    const answer = await send(files);
    expect(answer.conflicts).toEqual([{ name: "b/1.dcm", sopInstanceUID: sop("1") }]);
    expect(answer).toMatchObject({ conflictCount: 1, instancesReceived: 1 });
    expect(answer.studies).toMatchObject([{ imagesReceived: 1, duplicates: 0 }]);
    expect(await shownFrame(answer)).toBe(10);
    expect(hashes(await downloaded(answer))).toEqual(hashes(Object.values(files)));
  });

  test("are both kept if two uploads have them; each sent again is a duplicate, and the second is still named", async () => {
    const [one, two, three] = [instance("2", 10), instance("2", 20), instance("2", 30)];
    const first = await send({ IM1: one });
    expect(first.conflicts).toEqual([]);
    const second = await send({ OTHER: two, IM1: one });
    expect(second.conflicts).toEqual([{ name: "OTHER", sopInstanceUID: sop("2") }]);
    expect(second.studies).toMatchObject([{ imagesReceived: 0, duplicates: 1 }]);
    const third = await send({ THIRD: three });
    expect(third.conflictCount).toBe(1);
    const again = await send({ OTHER: two, IM1: one });
    expect(again.conflicts).toEqual([{ name: "OTHER", sopInstanceUID: sop("2") }]);
    expect(again.studies).toMatchObject([{ imagesReceived: 0, duplicates: 2 }]);
    expect(await shownFrame(first)).toBe(10);
    expect(hashes(await downloaded(first))).toEqual(hashes([one, two, three]));
    const studies = (await (await t.call("GET", "/api/studies", { as: person })).json()) as Study[];
    expect(studies.find(({ id }) => id === first.studies[0]?.id)?.imagesReceived).toBe(1);
  });

  test("are distinguished even if size and CRC-32 are equal", async () => {
    const one = instance("3", 10);
    const two = withCrcOf(instance("3", 20), crc32(one));
    const first = withCrcOf(one, crc32(one));
    expect([two.length, crc32(two)]).toEqual([first.length, crc32(first)]);
    const answer = await send({ one: first, two });
    expect(answer.conflictCount).toBe(1);
    expect(hashes(await downloaded(answer))).toEqual(hashes([first, two]));
    expect((await send({ two, one: first })).studies).toMatchObject([{ duplicates: 2, imagesReceived: 0 }]);
  });

  test("are both kept if the second names another series", async () => {
    const first = await send({ one: instance("4", 10) });
    const other = sampleInstance({
      study: "4",
      series: "9",
      elements: { [TagHex.SOPInstanceUID]: { vr: "UI", Value: [sop("4")] } },
    });
    const second = await send({ other });
    expect(second.conflicts).toEqual([{ name: "other", sopInstanceUID: sop("4") }]);
    expect(hashes(await downloaded(first))).toEqual(hashes([instance("4", 10), other]));
  });

  test("are kept up to a bound, and those beyond it are named as left out", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`f${String(i).padStart(2, "0")}`, instance("5", i)]),
    );
    const answer = await send(files);
    expect(answer.conflictCount).toBe(16);
    expect(answer.skipped.filter(({ reason }) => reason === "instance.too_many_variants")).toHaveLength(3);
    const more = await send({ more: instance("5", 99) });
    expect(more.skipped).toEqual([{ name: "more", reason: "instance.too_many_variants" }]);
    expect(await downloaded(answer)).toHaveLength(17);
  });

  test("are deleted with the study", async () => {
    const answer = await send({ one: instance("6", 1), two: instance("6", 2) });
    const id = answer.studies[0]?.id ?? "";
    expect((await t.call("DELETE", `/api/studies/${id}`, { as: person })).status).toBe(200);
    await t.settle();
    const rows = await t.sql`select 1 from stored_objects where study_id = ${id}`;
    expect(rows).toHaveLength(0);
  });
});

/** The file with four bytes behind it that give it this CRC-32 (they are the end of a private element). */
function withCrcOf(file: Uint8Array, wanted: number): Uint8Array {
  const tail = Uint8Array.of(0xfc, 0xff, 0xfc, 0xff, 0x4f, 0x42, 0, 0, 4, 0, 0, 0);
  const body = Buffer.concat([file, tail]);
  const table = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  // The register before the four bytes, and the one that must come out of them.
  const have = ~crc32(body) >>> 0;
  let want = ~wanted >>> 0;
  const indexes: number[] = [];
  for (let i = 0; i < 4; i++) {
    const index = table.findIndex((entry) => entry >>> 24 === want >>> 24);
    indexes.unshift(index);
    want = ((want ^ (table[index] ?? 0)) << 8) >>> 0;
  }
  const bytes: number[] = [];
  let register = have;
  for (const index of indexes) {
    bytes.push((register ^ index) & 0xff);
    register = ((register >>> 8) ^ (table[index] ?? 0)) >>> 0;
  }
  return Buffer.concat([body, Uint8Array.from(bytes)]);
}
