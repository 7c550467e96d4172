import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { zipSync } from "fflate";
import { createS3Store } from "../../../src/server/storage/s3/s3-store.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { noise } from "../../support/app/damaged-study.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";
import { type FaultyS3Server, startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";

/** More than is held in memory, so that it is sent piece by piece. */
const LARGE_SIDE = 1_600;

const ui = (value: string) => ({ vr: "UI", Value: [value] });
const us = (value: number) => ({ vr: "US", Value: [value] });
const instance = (number: number, side: number) =>
  sampleFile({
    [TagHex.StudyInstanceUID]: ui("2.25.1.1"),
    [TagHex.SeriesInstanceUID]: ui("2.25.2.1.1"),
    [TagHex.SOPInstanceUID]: ui(`2.25.3.1.1.${number}`),
    [TagHex.Rows]: us(side),
    [TagHex.Columns]: us(side),
    [TagHex.PixelData]: { vr: "OW", bytes: noise(side * side * 2, number) },
  });
const [large, small] = [instance(1, LARGE_SIDE), instance(2, 80)];

let s3: FaultyS3Server;
let t: TestApp;
let owner: Person;
let key: string;
let volume: Uint8Array;
beforeAll(async () => {
  s3 = await startFaultyS3Server();
  t = await createTestApp({ env: { ACK: "store" }, overrides: { store: createS3Store(s3.options) } });
  owner = await t.addPerson("Dona do Exame", { plan: "clinica" });
  await t.store(owner, zipSync({ large, small }, { level: 0 }));
  const [row] = await t.sql`select key, size_bytes from stored_objects where kind = 'volume'`;
  key = String(row?.key);
  volume = await t.deps.store.read(key, { offset: 0, length: Number(row?.size_bytes) });
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
});
beforeEach(() => t.deps.sums.clear());

/** Changes the byte at this place of a file, in the store. */
async function change(file: Uint8Array, at: number): Promise<void> {
  const changed = Buffer.from(volume);
  const place = changed.indexOf(file.subarray(-1_000)) - file.length + 1_000 + at;
  changed[place] = (changed[place] ?? 0) ^ 1;
  await t.deps.store.putBytes(key, changed);
}

/** Undefined where it is refused or breaks off. */
async function received(number: number): Promise<Buffer | undefined> {
  const path = `/dicomweb/studies/2.25.1.1/series/2.25.2.1.1/instances/2.25.3.1.1.${number}`;
  const answer = await t.call("GET", path, { as: owner, headers: { accept: "application/dicom" } });
  if (answer.status !== 200) return undefined;
  return await answer.bytes().then(Buffer.from, () => undefined);
}

test("a large instance in S3 is sent whole though a byte beside its end has changed", async () => {
  const sound = await received(1);
  await change(small, 300);
  expect(await received(2)).toBeUndefined();
  expect((await received(1))?.equals(sound ?? Buffer.alloc(0))).toBe(true);
}, 240_000);

test("a large instance in S3 whose end has changed is not sent whole, and the one beside it is", async () => {
  await t.deps.store.putBytes(key, volume);
  const sound = await received(2);
  await change(large, large.length - 10);
  expect(await received(1)).toBeUndefined();
  expect((await received(2))?.equals(sound ?? Buffer.alloc(0))).toBe(true);
}, 240_000);
