import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { purgeRemovals } from "../../../src/server/features/removals/purge-removals.ts";
import { purgeRemovalsQueue } from "../../../src/server/features/removals/removal-queues.ts";
import { transferUpload } from "../../../src/server/holdings/transfer/transfer-upload.ts";
import { createDiskStore } from "../../../src/server/storage/disk/disk-store.ts";
import { type ObjectStore, StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";
import {
  bytesOnceSettled,
  compareBytes,
  filesBelow,
  NO_DISAGREEMENTS,
} from "../../support/program/stored-bytes.ts";
import { startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { s3Environment } from "../../support/store/s3-environment.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";
import {
  addLabExam,
  attachReport,
  cancel,
  fillAccount,
  GRACE_MS,
  keysOf,
  newStudyNumber,
  removalOf,
} from "./filled-account.ts";

setDefaultTimeout(240_000);

const s3 = await startFaultyS3Server();
afterAll(() => s3[Symbol.asyncDispose]());

const s3Env = {
  ...s3Environment(s3.options),
  ACK: "disk",
};
const archives: [name: string, env: Record<string, string>, has: (t: TestApp, key: string) => boolean][] = [
  ["a disk", {}, (t, key) => existsSync(`${t.deps.config.dataDir}/objects/${key}`)],
  // Any version of it, hidden ones too.
  ["an S3 store, in all versions", s3Env, (_, key) => s3.bucket.objects.has(key)],
];

for (const [name, env, has] of archives) {
  test(`cancelled exams stay on ${name} for 72 hours and are gone after`, async () => {
    await using t = await createTestApp({ env });
    const { owner } = await fillAccount(t, "Espera e Some");
    const other = await fillAccount(t, "Fica");
    await t.settle();
    const [keys, others] = [await keysOf(t, owner), await keysOf(t, other.owner)];
    // Two studies of a volume and a manifest, a report, a lab exam.
    expect(keys).toHaveLength(6);
    if (env.S3_BUCKET) {
      // As a store keeps them: an older version below the newest, and one that was only hidden.
      const [first = "", second = ""] = keys;
      const older = s3.bucket.objects.get(first) ?? [];
      s3.bucket.objects.set(first, [...older, { versionId: "older", bytes: Uint8Array.of(1) }]);
      s3.bucket.objects.set(second, [{ versionId: "marker" }, ...(s3.bucket.objects.get(second) ?? [])]);
    }
    await cancel(t, owner);
    t.advance(GRACE_MS - 60_000);
    await purgeRemovals(t.deps);
    await t.settle();
    for (const key of keys) expect([key, has(t, key)]).toEqual([key, true]);
    expect((await removalOf(t, owner)).purged_at).toBeNull();
    t.advance(60_000);
    await purgeRemovals(t.deps);
    await t.settle();
    for (const key of keys) expect([key, has(t, key)]).toEqual([key, false]);
    for (const key of others) expect([key, has(t, key)]).toEqual([key, true]);
    expect((await removalOf(t, owner)).purged_at).not.toBeNull();
    expect(await keysOf(t, owner)).toEqual([]);
    const audit = await t.sql`select details from audit_events
      where account_id = ${owner.id} and action = 'exams.purged'`;
    expect(audit.map(({ details }) => details)).toEqual([
      expect.objectContaining({ studies: 2, labExams: 1 }),
    ]);
  });
}

test("a cancellation has its own purge enqueued for the end of the 72 hours", async () => {
  await using t = await createTestApp({ jobs: false });
  const person = await t.addPerson("Na Hora");
  await cancel(t, person);
  const [job] = await t.sql`select extract(epoch from start_after - created_on)::int as seconds
    from pgboss.job where name = 'removals.purge'`;
  expect(job?.seconds).toBeWithin(72 * 3600 - 5, 72 * 3600 + 6);
});

test("removals that are due are found every hour, and purged by the job", async () => {
  await using t = await createTestApp();
  const hourly = await t.sql`select name from pgboss.schedule where cron like '% * * * *'`;
  const names = hourly.map(({ name }) => name);
  for (const name of ["removals.purge", "removals.lapse", "subscriptions.notices"]) {
    expect(names).toContain(name);
  }
  const person = await t.addPerson("Pelo Relógio");
  await addLabExam(t, person);
  const [key = ""] = await keysOf(t, person);
  await cancel(t, person);
  t.advance(GRACE_MS + 1000);
  await t.deps.jobs.enqueue(purgeRemovalsQueue, {});
  await t.settle();
  // A job that failed on a busy machine waits for its next try.
  await until(async () => (await t.deps.store.stat(key)) === undefined);
});

test("an account that can't be purged does not delay the others, and is tried again", async () => {
  await using t = await createTestApp();
  const { owner: stuck } = await fillAccount(t, "Emperrada");
  const { owner: next } = await fillAccount(t, "Da Vez");
  const leftOf = async ({ id }: { id: string }) =>
    (await t.sql`select from studies where account_id = ${id}`).length;
  for (const person of [stuck, next]) await cancel(t, person);
  await t.sql.unsafe(`create function refuse() returns trigger language plpgsql as
    $$ begin if old.account_id = '${stuck.id}' then raise 'refused'; end if; return old; end $$;
    create trigger refuse before delete on studies for each row execute function refuse()`);
  t.advance(GRACE_MS + 1000);
  expect(await purgeRemovals(t.deps).catch(() => "failed")).toBe("failed");
  expect([await leftOf(stuck), await leftOf(next)]).toEqual([2, 0]);
  await t.sql.unsafe("drop trigger refuse on studies");
  await purgeRemovals(t.deps);
  expect(await leftOf(stuck)).toBe(0);
});

test("a study that was not yet transferred is purged from the disk and the store", async () => {
  await using t = await createTestApp({ jobs: false });
  const person = await t.addPerson("Em Trânsito", { plan: "familia" });
  await t.upload(person, sampleZip({ study: newStudyNumber() }, { study: newStudyNumber() }));
  const [row] = await t.sql`select upload_id from stored_objects limit 1`;
  const { store } = t.deps;
  const put = store.putFile.bind(store);
  let isPurged = false;
  store.putFile = async (key, path, options) => {
    await put(key, path, options);
    if (isPurged) return;
    isPurged = true;
    await cancel(t, person);
    t.advance(GRACE_MS + 1000);
    await purgeRemovals(t.deps);
  };
  await transferUpload(t.deps, row?.upload_id, new AbortController().signal);
  expect(isPurged).toBe(true);
  const waiting =
    await t.sql`select name, data from pgboss.job where name like '%purge%' and name <> 'removals.purge'`;
  for (const { name, data } of waiting) {
    const from = String(name).startsWith("staging") ? t.deps.staging : store;
    for (const key of data.keys) await from.delete(key);
  }
  const { dataDir } = t.deps.config;
  const files = [...filesBelow(`${dataDir}/staging`), ...filesBelow(`${dataDir}/objects`)];
  expect(files.filter((file) => !file.includes("~"))).toEqual([]);
});

test("exams that are transferred while they wait to be purged can still be brought back or purged", async () => {
  await using t = await createTestApp({ jobs: false });
  const person = await t.addPerson("Segue Viagem");
  await t.upload(person, sampleZip({ study: newStudyNumber() }));
  const [row] = await t.sql`select upload_id from stored_objects limit 1`;
  await cancel(t, person);
  await transferUpload(t.deps, row?.upload_id, new AbortController().signal);
  for (const key of await keysOf(t, person)) expect(await t.deps.store.stat(key)).toBeDefined();
});

describe("a purge that is killed", () => {
  test("between any two batches loses nothing and is finished by the next", async () => {
    await using t = await createTestApp();
    const person = await t.addPerson("Muitos Exames", { plan: "clinica" });
    const many = Array.from({ length: 45 }, () => ({ study: newStudyNumber() }));
    const { studies } = await t.store(person, sampleZip(...many));
    await attachReport(t, person, studies[44]?.id ?? "");
    await addLabExam(t, person);
    await cancel(t, person);
    t.advance(GRACE_MS + 1000);
    const compare = () => compareBytes(t.sql, t.deps.config.dataDir);
    /** Lab exams have rows elsewhere; what waits to be purged is still counted. */
    const compareButLabs = async () => {
      const { filesWithoutRow, rowsWithoutFile } = await compare();
      const labs = await t.sql`select key from lab_exams`;
      const labKeys = new Set(labs.map(({ key }) => `objects/${key}`));
      const others = filesWithoutRow.filter((file) => !labKeys.has(file));
      return { ...NO_DISAGREEMENTS, rowsWithoutFile, filesWithoutRow: others };
    };
    const left = async () => {
      const [row] =
        await t.sql`select (select count(*) from studies where account_id = ${person.id})::int as studies,
        (select count(*) from lab_exams where account_id = ${person.id})::int as labs`;
      return [row?.studies, row?.labs];
    };
    const seen: unknown[] = [];
    for (let batch = 0; batch < 4; batch++) {
      // Dies on the second deletion it enqueues: the first batch is committed, the second is not.
      let enqueued = 0;
      const enqueue: typeof t.deps.jobs.enqueue = async (...args) => {
        if (++enqueued > 1) throw new Error("killed");
        return await t.deps.jobs.enqueue(...args);
      };
      const dying = { ...t.deps, jobs: { ...t.deps.jobs, enqueue } };
      await purgeRemovals(dying).catch((error) => expect(error.message).toBe("killed"));
      seen.push(await left());
      await t.settle();
      expect(await bytesOnceSettled(compareButLabs)).toEqual(NO_DISAGREEMENTS);
    }
    expect(seen).toEqual([
      [25, 1],
      [5, 1],
      [0, 1],
      [0, 0],
    ]);
    expect(await bytesOnceSettled(compare)).toEqual(NO_DISAGREEMENTS);
    const audit = await t.sql`select 1 from audit_events where action = 'exams.purged'`;
    expect(audit).toHaveLength(1);
  });

  test("by a failing store is tried again until the bytes are gone", async () => {
    await using folder = createTempFolder();
    const inner = createDiskStore({ root: folder.path });
    let failures = 0;
    const store: ObjectStore = {
      ...inner,
      async delete(key) {
        if (++failures === 1) throw new StoreUnavailable("delete");
        await inner.delete(key);
      },
    };
    await using t = await createTestApp({ overrides: { store } });
    const person = await t.addPerson("Disco Teimoso");
    await t.store(person, sampleZip({ study: newStudyNumber() }));
    const keys = await keysOf(t, person);
    await cancel(t, person);
    t.advance(GRACE_MS + 1000);
    await purgeRemovals(t.deps);
    const gone = async () => (await Promise.all(keys.map((key) => inner.stat(key)))).every((it) => !it);
    await until(gone);
    expect(failures).toBeGreaterThan(1);
  });
});

test("deleting an account also deletes the exams that wait to be purged, bytes included", async () => {
  await using t = await createTestApp();
  const admin = await t.addPerson("Administradora", { role: "admin", plan: null });
  const { owner } = await fillAccount(t, "Vai de Vez");
  await t.settle();
  const keys = await keysOf(t, owner);
  await cancel(t, owner);
  expect((await t.call("DELETE", `/api/users/${owner.id}`, { as: admin })).status).toBe(200);
  await t.settle();
  for (const key of keys) expect([key, await t.deps.store.stat(key)]).toEqual([key, undefined]);
  expect(await removalOf(t, owner)).toBeUndefined();
  expect(await bytesOnceSettled(() => compareBytes(t.sql, t.deps.config.dataDir))).toEqual(NO_DISAGREEMENTS);
});
