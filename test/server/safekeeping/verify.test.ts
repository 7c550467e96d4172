import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Finding } from "../../../src/server/features/safekeeping/verify/verify-archive.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { formBody, samplePdf } from "../../support/pdf/sample-pdf.ts";
import { verify } from "../../support/program/installations.ts";
import { startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { s3Environment } from "../../support/store/s3-environment.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let ana: Person;

beforeAll(async () => {
  t = await createTestApp();
  ana = await fill(t);
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

/** Two studies and a laboratory PDF. */
async function fill(app: TestApp): Promise<Person> {
  const person = await app.addPerson("Ana", { plan: "clinica" });
  for (const study of ["1", "2"]) await app.store(person, sampleZip({ study }));
  const lab = await formBody(
    { examName: "Hemograma", modality: "LAB" },
    { name: "file", bytes: samplePdf() },
  );
  expect((await app.call("POST", "/api/exams-lab/upload", { as: person, ...lab })).status).toBe(201);
  await app.settle();
  return person;
}

interface Kept {
  key: string;
  /** `undefined` of a laboratory PDF. */
  study: string | undefined;
}

async function keptObjects({ sql }: TestApp): Promise<Kept[]> {
  const rows = await sql<{ key: string; study: string | null }[]>`
    select key, study_instance_uid as study from stored_objects join studies on studies.id = study_id
    union all select key, null from lab_exams`;
  return rows.map(({ key, study }) => ({ key, study: study ?? undefined }));
}

const findingOf = (kind: Finding["kind"], { key, study }: Kept): Finding => ({
  kind,
  object: key,
  ...(study !== undefined && { studyInstanceUID: study }),
});

test("each changed byte is found, wherever it is, and nothing else is reported", async () => {
  const objects = await keptObjects(t);
  expect(new Set(objects.map(({ study }) => study))).toEqual(
    new Set([studyUID("1"), studyUID("2"), undefined]),
  );
  expect(await verify(t.deps.config)).toMatchObject({ objects: objects.length, findings: [] });
  let flips = 0;
  for (const object of objects) {
    const path = join(t.deps.config.dataDir, "objects", object.key);
    const bytes = readFileSync(path);
    const step = Math.ceil(bytes.length / 16);
    for (let at = flips % step; at < bytes.length; at += step, flips++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << (flips % 8));
      writeFileSync(path, changed);
      expect((await verify(t.deps.config)).findings).toEqual([findingOf("changed", object)]);
    }
    for (const bytesLeft of [bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.of(0)]), new Uint8Array()]) {
      writeFileSync(path, bytesLeft);
      expect((await verify(t.deps.config)).findings).toEqual([findingOf("changed", object)]);
    }
    rmSync(path);
    expect((await verify(t.deps.config)).findings).toEqual([findingOf("missing", object)]);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  expect(flips).toBeGreaterThan(60);
}, 240_000);

test("bytes that belong to no record are found under any name, and are left in place", async () => {
  const { dataDir } = t.deps.config;
  const upload = Bun.randomUUIDv7();
  for (const place of ["objects", "staging"]) {
    for (const name of [`${upload}/${Bun.randomUUIDv7()}.volume`, "notes.txt", "a folder/ção.dcm"]) {
      const path = join(dataDir, place, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "x");
      expect((await verify(t.deps.config)).findings).toEqual([{ kind: "orphan", object: name }]);
      expect(readFileSync(path, "utf8")).toBe("x");
      rmSync(path);
    }
  }
});

test("uploads under way and bytes that wait for their deletion are not findings", async () => {
  const { node, config } = t.deps;
  const upload = Bun.randomUUIDv7();
  await t.sql`insert into uploads (id, account_id, node_id, boot_id, state, started_at)
    values (${upload}, ${ana.id}, ${node.id}, ${node.bootId}, 'receiving', now())`;
  const path = join(config.dataDir, "staging", upload, `${Bun.randomUUIDv7()}.volume`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "x");
  expect((await verify(t.deps.config)).findings).toEqual([]);
  // One that was committed a moment ago has yet to remove its leftovers.
  await t.sql`update uploads set state = 'committed', finished_at = now() where id = ${upload}`;
  expect((await verify(t.deps.config)).findings).toEqual([]);
  await t.sql`update uploads set finished_at = now() - interval '2 minutes' where id = ${upload}`;
  expect((await verify(t.deps.config)).findings).toHaveLength(1);
  await t.sql`update uploads set state = 'failed', bytes_removed_at = now() where id = ${upload}`;
  expect((await verify(t.deps.config)).findings).toHaveLength(1);
  rmSync(path);
});

test("an archive in S3 is read by ranges, and an unreachable store is not a finding", async () => {
  await using s3 = await startFaultyS3Server();
  await using remote = await createTestApp({
    env: s3Environment(s3.options),
  });
  await fill(remote);
  const objects = await keptObjects(remote);
  s3.seen.length = 0;
  expect(await verify(remote.deps.config)).toMatchObject({ objects: objects.length, findings: [] });
  const reads = s3.seen.filter(({ method, key }) => method === "GET" && key !== "");
  expect(reads).toHaveLength(objects.length);
  expect(reads.every(({ headers }) => headers.range !== undefined)).toBe(true);

  const [first] = objects;
  if (!first) throw new Error("nothing was stored");
  const size = (await remote.deps.store.stat(first.key))?.sizeBytes ?? 0;
  const bytes = await remote.deps.store.read(first.key, { offset: 0, length: size });
  const changed = Uint8Array.from(bytes);
  changed[0] = (changed[0] ?? 0) ^ 1;
  await remote.deps.store.putBytes(first.key, changed);
  expect((await verify(remote.deps.config)).findings).toEqual([findingOf("changed", first)]);
  await remote.deps.store.delete(first.key);
  expect((await verify(remote.deps.config)).findings).toEqual([findingOf("missing", first)]);
  await remote.deps.store.putBytes(first.key, bytes);
  await remote.deps.store.putBytes("somebody/else", bytes);
  expect((await verify(remote.deps.config)).findings).toEqual([{ kind: "orphan", object: "somebody/else" }]);
  // Of another installation in the same bucket, and of an upload of this one that is over.
  const other = `${Bun.randomUUIDv7()}/${Bun.randomUUIDv7()}.zip`;
  const left = `${first.key.split("/")[0]}/left-over.zip`;
  for (const key of [other, left]) await remote.deps.store.putBytes(key, bytes);
  await remote.sql`update uploads set finished_at = now() - interval '1 hour'`;
  const ofAll = (await verify(remote.deps.config)).findings.map(({ object }) => object);
  expect(ofAll.toSorted()).toEqual([left, other, "somebody/else"].toSorted());
  expect(await verify(remote.deps.config, { isShared: true })).toMatchObject({
    findings: [{ kind: "orphan", object: left }],
    unknownObjects: 2,
  });
  for (const key of [other, left, "somebody/else"]) await remote.deps.store.delete(key);

  s3.fault = () => ({ status: 503, code: "SlowDown" });
  await expect(verify(remote.deps.config)).rejects.toThrow();
}, 240_000);

test("what a store answers wrong for a moment is no finding", async () => {
  await using s3 = await startFaultyS3Server();
  await using remote = await createTestApp({ env: s3Environment(s3.options) });
  await fill(remote);
  const objects = await keptObjects(remote);
  const honest = s3.bucket.handle;
  const changed = new Set<string>();
  s3.bucket.handle = (request, body) => {
    const answer = honest(request, body);
    if (request.method !== "GET" || request.key === "" || changed.has(request.key)) return answer;
    changed.add(request.key);
    return { ...answer, body: answer.body.map((byte, at) => (at === 0 ? byte ^ 1 : byte)) };
  };
  const all = objects.length;
  expect(await verify(remote.deps.config)).toMatchObject({ objects: all, findings: [], differedOnce: all });
  expect(changed.size).toBe(all);
  expect(await verify(remote.deps.config)).not.toHaveProperty("differedOnce");
}, 240_000);
