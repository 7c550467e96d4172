import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { zipSync } from "fflate";
import type { Deps } from "../../../src/server/deps.ts";
import { encodeFileMeta } from "../../../src/server/dimse/file-meta.ts";
import { withKeptHeader } from "../../../src/server/features/receivers/kept-header.ts";
import { StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { TransferSyntax } from "../../../src/shared/dicom/transfer-syntax.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { sampleInstance, studyUID } from "../../support/zip/sample-zip.ts";

const folder = createTempFolder();
const LENGTH_AT = 140;
const ELEMENTS_FROM = LENGTH_AT + 4;

let t: TestApp;
let ana: Person;
beforeAll(async () => {
  t = await createTestApp();
  ana = await t.addPerson("Ana", { plan: "clinica" });
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function partsOf(file: Uint8Array): { header: Buffer; dataSet: Buffer } {
  const bytes = Buffer.from(file);
  const end = ELEMENTS_FROM + bytes.readUInt32LE(LENGTH_AT);
  return { header: bytes.subarray(0, end), dataSet: bytes.subarray(end) };
}

const sampleOf = (study: string, patientId = "1") =>
  partsOf(sampleInstance({ study, elements: { [TagHex.PatientID]: { vr: "LO", Value: [patientId] } } }));

const keep = (study: string, ...files: Uint8Array[]) =>
  t.store(ana, zipSync(Object.fromEntries(files.map((file, index) => [`${study}-${index}`, file]))));

/** What is kept of a data set that a sender stores, and whether it is behind the header of a kept file. */
async function arrive(
  study: string,
  dataSet: Uint8Array,
  {
    transferSyntaxUID = TransferSyntax.explicitLittleEndian as string,
    accountId = ana.id,
    deps = t.deps as Pick<Deps, "db" | "series" | "log">,
  } = {},
) {
  const uids = { sopClassUID: "1.2.840.10008.5.1.4.1.1.7", sopInstanceUID: `2.25.3.${study}.1.1` };
  const implementation = { classUID: "1.2.3", versionName: "SENDER" };
  const meta = encodeFileMeta({ ...uids, transferSyntaxUID, sourceAETitle: "SENDER", implementation });
  const bytes = Buffer.concat([meta, dataSet]);
  const path = join(folder.path, "1.part");
  writeFileSync(path, bytes);
  const kept = await withKeptHeader(deps, accountId, {
    ...{ association: "1", file: "1.part", path, sizeBytes: bytes.length, crc32: crc32(bytes) },
    ...{ studyInstanceUID: studyUID(study), seriesInstanceUID: `2.25.2.${study}.1` },
    ...{ sopInstanceUID: uids.sopInstanceUID, transferSyntaxUID },
  });
  if (!kept) throw new Error("it is refused");
  const { header } = kept;
  const file = header ? Buffer.concat([header.bytes, bytes.subarray(header.replacesBytes)]) : bytes;
  expect([kept.sizeBytes, kept.crc32]).toEqual([file.length, crc32(file)]);
  return { file, isAsKept: header !== undefined };
}

test("an instance is the kept one whose data set it has, whatever length the kept header says it has", async () => {
  const { header, dataSet } = sampleOf("1");
  header.writeUInt32LE(7, LENGTH_AT);
  const file = Buffer.concat([header, dataSet]);
  await keep("1", file);
  expect(await arrive("1", dataSet)).toEqual({ file, isAsKept: true });
});

test("an instance that lacks the first element of the kept data set is another one", async () => {
  const { header, dataSet } = sampleOf("2");
  const first = 8 + dataSet.readUInt16LE(6);
  // A header that counts the first element of the data set as its own.
  header.writeUInt32LE(header.readUInt32LE(LENGTH_AT) + first, LENGTH_AT);
  await keep("2", Buffer.concat([header, dataSet]));
  const sent = dataSet.subarray(first);
  const { file, isAsKept } = await arrive("2", sent);
  expect(isAsKept).toBe(false);
  expect(file.subarray(-sent.length).equals(sent)).toBe(true);
});

test("an instance is the kept variant whose data set it has", async () => {
  const [one, other] = [sampleOf("3", "1"), sampleOf("3", "2")];
  await keep("3", ...[one, other].map(({ header, dataSet }) => Buffer.concat([header, dataSet])));
  for (const { header, dataSet } of [one, other])
    expect(await arrive("3", dataSet)).toEqual({ file: Buffer.concat([header, dataSet]), isAsKept: true });
  expect((await arrive("3", sampleOf("3", "3").dataSet)).isAsKept).toBe(false);
});

test("an instance whose transfer syntax is not that of the kept header is another one", async () => {
  const { header, dataSet } = sampleOf("4");
  await keep("4", Buffer.concat([header, dataSet]));
  expect((await arrive("4", dataSet, { transferSyntaxUID: TransferSyntax.explicitBigEndian })).isAsKept).toBe(
    false,
  );
});

test("the same CRC-32 and size do not make other bytes the kept instance", async () => {
  const { header, dataSet } = sampleOf("5");
  await keep("5", Buffer.concat([header, dataSet]));
  const forged = withSumOf(dataSet, Buffer.from(dataSet));
  expect([forged.length, crc32(forged)]).toEqual([dataSet.length, crc32(dataSet)]);
  expect(forged.equals(dataSet)).toBe(false);
  expect((await arrive("5", forged)).isAsKept).toBe(false);
  expect((await arrive("5", dataSet)).isAsKept).toBe(true);
});

test("an instance is kept as it arrived where what is kept is another's, can't be read, or has no hash", async () => {
  const { header, dataSet } = sampleOf("6");
  await keep("6", Buffer.concat([header, dataSet]));
  const bruno = await t.addPerson("Bruno", { plan: "clinica" });
  const { db, log, series } = t.deps;
  const fails = async () => {
    throw new StoreUnavailable("away");
  };
  const manifest: typeof series.manifest = async (object) => {
    const known = await series.manifest(object);
    const instances = known.instances.map(({ contentHash: _, ...instance }) => instance);
    return { ...known, instances };
  };
  for (const asked of [
    { accountId: bruno.id },
    { deps: { db, log, series: { ...series, manifest: fails } } },
    { deps: { db, log, series: { ...series, read: fails } } },
    { deps: { db, log, series: { ...series, open: fails } } },
    { deps: { db, log, series: { ...series, read: async () => Buffer.from(header).fill(0, 132) } } },
    { deps: { db, log, series: { ...series, manifest } } },
  ])
    expect((await arrive("6", dataSet, asked)).isAsKept).toBe(false);
  expect((await arrive("6", dataSet)).isAsKept).toBe(true);
});

test("an account's associations read one list of what is kept at a time", async () => {
  const { header, dataSet } = sampleOf("7");
  await keep("7", Buffer.concat([header, dataSet]));
  const { db, log, series } = t.deps;
  let reading = 0;
  let most = 0;
  const manifest: typeof series.manifest = async (object) => {
    most = Math.max(most, ++reading);
    await Bun.sleep(5);
    reading--;
    return await series.manifest(object);
  };
  const asked = { deps: { db, log, series: { ...series, manifest } } };
  const all = await Promise.all(Array.from({ length: 20 }, () => arrive("7", dataSet, asked)));
  expect(all.every(({ isAsKept }) => isAsKept)).toBe(true);
  expect(most).toBe(1);
});

/** Changes a byte of the copy, and its last four bytes so that the sum stays. */
function withSumOf(dataSet: Uint8Array, copy: Buffer): Buffer {
  const at = copy.length - 16;
  copy.writeUInt8((copy[at] ?? 0) ^ 1, at);
  const wanted = crc32(dataSet);
  // CRC-32 is linear: each bit of the last four bytes changes the same bits of the sum.
  const base = crc32(copy);
  const end = copy.length - 4;
  const rows = Array.from({ length: 32 }, (_, bit) => {
    const flipped = Buffer.from(copy);
    flipped.writeUInt8((flipped[end + (bit >> 3)] ?? 0) ^ (1 << (bit & 7)), end + (bit >> 3));
    return { change: (crc32(flipped) ^ base) >>> 0, bits: new Set([bit]) };
  });
  let missing = (base ^ wanted) >>> 0;
  const chosen = new Set<number>();
  for (let bit = 31; bit >= 0; bit--) {
    const mask = 2 ** bit;
    const index = rows.findIndex(({ change }) => Math.floor(change / mask) % 2 === 1);
    const [pivot] = index < 0 ? [] : rows.splice(index, 1);
    if (!pivot) continue;
    const toggle = (bits: Set<number>) => {
      for (const one of pivot.bits) if (!bits.delete(one)) bits.add(one);
    };
    for (const row of rows)
      if (Math.floor(row.change / mask) % 2 === 1) {
        row.change = (row.change ^ pivot.change) >>> 0;
        toggle(row.bits);
      }
    if (Math.floor(missing / mask) % 2 === 1) {
      missing = (missing ^ pivot.change) >>> 0;
      toggle(chosen);
    }
  }
  for (const bit of chosen)
    copy.writeUInt8((copy[end + (bit >> 3)] ?? 0) ^ (1 << (bit & 7)), end + (bit >> 3));
  return copy;
}
