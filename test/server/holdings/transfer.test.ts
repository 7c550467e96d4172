import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { holdDeletions } from "../../../src/server/holdings/deletion-hold.repo.ts";
import { startTransfers } from "../../../src/server/holdings/holdings.jobs.ts";
import { sweepUploads } from "../../../src/server/holdings/sweeping/sweep-uploads.ts";
import { transferUpload } from "../../../src/server/holdings/transfer/transfer-upload.ts";
import { createDiskStore } from "../../../src/server/storage/disk/disk-store.ts";
import { type ObjectStore, StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import { createS3Store } from "../../../src/server/storage/s3/s3-store.ts";
import type { StudyStatus } from "../../../src/shared/api/studies.ts";
import type { UploadAnswer } from "../../../src/shared/api/upload.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

const s3 = await startFaultyS3Server();
afterAll(() => s3[Symbol.asyncDispose]());

const adapters: [name: string, create: () => { store: ObjectStore } & AsyncDisposable][] = [
  [
    "disk",
    () => {
      const folder = createTempFolder();
      return {
        store: createDiskStore({ root: folder.path }),
        [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
      };
    },
  ],
  ["s3", () => ({ store: createS3Store(s3.options), [Symbol.asyncDispose]: async () => {} })],
];

/** A store whose next call of one method fails, before or after it did its work. */
function failing(
  store: ObjectStore,
  plan: { method?: "putFile" | "stat" | "open"; when?: "before" | "after" },
): ObjectStore {
  const guarded = <Args extends unknown[], Result>(
    method: "putFile" | "stat" | "open",
    run: (...args: Args) => Promise<Result>,
  ) => {
    return async (...args: Args): Promise<Result> => {
      const isDue = plan.method === method;
      if (isDue) plan.method = undefined;
      if (isDue && plan.when !== "after") throw new StoreUnavailable(method);
      const result = await run(...args);
      if (isDue) throw new StoreUnavailable(method);
      return result;
    };
  };
  return {
    ...store,
    putFile: guarded("putFile", store.putFile.bind(store)),
    stat: guarded("stat", store.stat.bind(store)),
    open: guarded("open", store.open.bind(store)),
    // A store that reads in buffers of its own is read back by these.
    ...(store.scan && {
      async *scan(...args) {
        const isDue = plan.method === "open";
        if (isDue) plan.method = undefined;
        if (isDue && plan.when !== "after") throw new StoreUnavailable("scan");
        yield* store.scan?.(...args) ?? [];
        if (isDue) throw new StoreUnavailable("scan");
      },
    }),
  };
}

interface Uploaded {
  answer: UploadAnswer;
  studyId: string;
  uploadId: string;
}

async function uploadStaged(t: TestApp, person: Person, study: string): Promise<Uploaded> {
  const response = await t.upload(person, sampleZip({ study }, { study, sop: "2" }, { study, series: "2" }));
  expect(response.status).toBe(201);
  const answer = (await response.json()) as UploadAnswer;
  const studyId = answer.studies[0]?.id ?? "";
  const [row] = await t.sql`select upload_id from stored_objects where study_id = ${studyId} limit 1`;
  return { answer, studyId, uploadId: row?.upload_id };
}

async function statusOf(t: TestApp, person: Person, studyId: string): Promise<StudyStatus> {
  return (await (
    await t.call("GET", `/api/studies/${studyId}/status`, { as: person })
  ).json()) as StudyStatus;
}

async function stagedNames(t: TestApp): Promise<string[]> {
  return (await readdir(join(t.deps.config.dataDir, "staging"))).filter((name) => !name.startsWith("~"));
}

const go = (t: TestApp, uploadId: string) => transferUpload(t.deps, uploadId, new AbortController().signal);

for (const [name, create] of adapters) {
  describe(`a transfer to ${name}`, () => {
    test("moves local → transferring → b2 and leaves nothing staged", async () => {
      await using target = create();
      await using t = await createTestApp({ jobs: false, overrides: { store: target.store } });
      const person = await t.addPerson("Transfere");
      const { studyId, uploadId } = await uploadStaged(t, person, "1");
      expect(await statusOf(t, person, studyId)).toEqual({ status: "local", isReady: false });
      await go(t, uploadId);
      expect(await statusOf(t, person, studyId)).toEqual({ status: "b2", isReady: true });
      expect(await stagedNames(t)).toEqual([]);
    });

    // Nothing asks a remote store for a size: the copy is read to its end.
    const asked = ["putFile", ...(name === "disk" ? (["stat"] as const) : []), "open"] as const;
    for (const method of asked) {
      for (const when of ["before", "after"] as const) {
        test(`that fails ${when} ${method} shows error, keeps the files here, and goes through when tried again`, async () => {
          await using target = create();
          const plan = { method, when } as { method?: typeof method; when: typeof when };
          await using t = await createTestApp({
            jobs: false,
            overrides: { store: failing(target.store, plan) },
          });
          const person = await t.addPerson("Tenta de Novo");
          const { studyId, uploadId } = await uploadStaged(t, person, "2");
          await expect(go(t, uploadId)).rejects.toThrow(StoreUnavailable);
          expect(await statusOf(t, person, studyId)).toEqual({ status: "error", isReady: false });
          expect((await t.call("GET", `/api/studies/${studyId}/download`, { as: person })).status).toBe(200);
          await go(t, uploadId);
          expect(await statusOf(t, person, studyId)).toEqual({ status: "b2", isReady: true });
          expect(await stagedNames(t)).toEqual([]);
        });
      }
    }

    test("of a study deleted meanwhile leaves no bytes in either store", async () => {
      await using target = create();
      await using t = await createTestApp({ jobs: false, overrides: { store: target.store } });
      const person = await t.addPerson("Apaga Antes");
      const { studyId, uploadId } = await uploadStaged(t, person, "3");
      const put = target.store.putFile.bind(target.store);
      let isDeleted = false;
      t.deps.store.putFile = async (...args) => {
        await put(...args);
        if (isDeleted) return;
        isDeleted = true;
        expect((await t.call("DELETE", `/api/studies/${studyId}`, { as: person })).status).toBe(200);
      };
      await go(t, uploadId);
      const left = await Array.fromAsync(target.store.list(`${uploadId}/`));
      expect(left).toEqual([]);
    });
  });
}

test("a download gets the whole exam even if the transfer removes the staged file while it begins", async () => {
  await using t = await createTestApp({ jobs: false });
  const person = await t.addPerson("Baixa Cedo");
  const download = (studyId: string) => t.call("GET", `/api/studies/${studyId}/download`, { as: person });
  const instancesIn = async (answer: Response) => Object.keys(unzipSync(await answer.bytes())).length;
  const first = await uploadStaged(t, person, "8");
  const begun = await download(first.studyId);
  await go(t, first.uploadId);
  expect([begun.status, await instancesIn(begun)]).toEqual([200, 3]);

  const second = await uploadStaged(t, person, "9");
  const { staging } = t.deps;
  const open = staging.open.bind(staging);
  staging.open = async (...args) => {
    const opened = await open(...args);
    staging.open = open;
    await go(t, second.uploadId);
    return opened;
  };
  const answer = await download(second.studyId);
  expect([answer.status, await instancesIn(answer)]).toEqual([200, 3]);
  expect(await stagedNames(t)).toEqual([]);
});

test("a transfer that can't record its copies removes nothing that is staged, and goes through when tried again", async () => {
  await using t = await createTestApp({ jobs: false });
  const person = await t.addPerson("Sem Registro");
  const { studyId, uploadId } = await uploadStaged(t, person, "11");
  const settle = () => Promise.reject(new Error("not recorded"));
  const owners = { ...t.deps.owners, studies: { ...t.deps.owners.studies, settle } };
  const failed = transferUpload({ ...t.deps, owners }, uploadId, new AbortController().signal);
  await expect(failed).rejects.toThrow("not recorded");
  const objects = await t.sql`select key, location from stored_objects where study_id = ${studyId}`;
  for (const { key, location } of objects)
    expect([location, existsSync(t.deps.node.stagedPath(key))]).toEqual(["staging", true]);
  await go(t, uploadId);
  expect(await statusOf(t, person, studyId)).toEqual({ status: "b2", isReady: true });
  expect(await stagedNames(t)).toEqual([]);
});

test("bytes of a study that is deleted while it is transferred stay while a backup may read them, and go then", async () => {
  await using t = await createTestApp({ jobs: false });
  const person = await t.addPerson("Apaga Durante");
  const keysOf = async (studyId: string) =>
    (await t.sql`select key from stored_objects where study_id = ${studyId}`).map(({ key }) => String(key));
  const remove = async (studyId: string) =>
    expect((await t.call("DELETE", `/api/studies/${studyId}`, { as: person })).status).toBe(200);
  const isStaged = (key: string) => existsSync(t.deps.node.stagedPath(key));
  const isArchived = async (key: string) => (await t.deps.store.stat(key)) !== undefined;
  const placesOf = (keys: string[]) =>
    Promise.all(keys.map(async (key) => [isStaged(key), await isArchived(key)]));
  const first = await uploadStaged(t, person, "12");
  const second = await uploadStaged(t, person, "13");
  const [during, between] = [await keysOf(first.studyId), await keysOf(second.studyId)];
  const put = t.deps.store.putFile.bind(t.deps.store);
  t.deps.store.putFile = async (...args) => {
    await put(...args);
    t.deps.store.putFile = put;
    await remove(first.studyId);
  };
  {
    await using _ = await holdDeletions(t.deps.config.databaseUrl ?? "");
    await go(t, first.uploadId);
    // As a run that was killed between its copies and their record.
    for (const key of between) await put(key, t.deps.node.stagedPath(key), {});
    await remove(second.studyId);
    const { signal } = new AbortController();
    for (const { uploadId } of [first, second])
      await transferUpload(t.deps, uploadId, signal, { isRetry: true });
    await sweepUploads(t.deps);
    for (const keys of [during, between]) expect(await placesOf(keys)).toEqual(keys.map(() => [true, true]));
  }
  await startTransfers(t.deps);
  await until(async () => !(await placesOf(during.concat(between))).flat().includes(true));
});

test("a copy that differs is never used: the study shows error and its staged bytes stay", async () => {
  await using folder = createTempFolder();
  const store = createDiskStore({ root: folder.path });
  const put = store.putFile.bind(store);
  const damaging: ObjectStore = {
    ...store,
    async putFile(key, path, options) {
      // A copy of its own, cut short: linked to the staged file, the damage would be the source's.
      const { copyFile } = await import("node:fs/promises");
      await copyFile(path, `${path}.copy`);
      await truncate(`${path}.copy`, 10);
      await put(key, `${path}.copy`, options);
    },
  };
  await using t = await createTestApp({ jobs: false, overrides: { store: damaging } });
  const person = await t.addPerson("Cópia Ruim");
  const { studyId, uploadId } = await uploadStaged(t, person, "4");
  await expect(go(t, uploadId)).rejects.toThrow("another size");
  expect(await statusOf(t, person, studyId)).toEqual({ status: "error", isReady: false });
  const keys = await t.sql`select key from stored_objects where study_id = ${studyId}`;
  for (const { key } of keys) expect(existsSync(t.deps.node.stagedPath(key))).toBe(true);
});

test("deleting a study removes its bytes from the archive store", async () => {
  await using t = await createTestApp();
  const person = await t.addPerson("Apaga Tudo");
  const { studies } = await t.store(person, sampleZip({ study: "5" }));
  const objects = join(t.deps.config.dataDir, "objects");
  const kept = async () => (await readdir(objects)).filter((name) => !name.startsWith("~"));
  expect(await kept()).toHaveLength(1);
  expect((await t.call("DELETE", `/api/studies/${studies[0]?.id}`, { as: person })).status).toBe(200);
  await t.settle();
  expect(await kept()).toEqual([]);
});

test("with ACK=store an upload is answered only once it is in the store, ready to be seen", async () => {
  await using t = await createTestApp({ jobs: false, env: { ACK: "store" } });
  const person = await t.addPerson("Só Depois");
  const { studyId } = await uploadStaged(t, person, "6");
  expect(await statusOf(t, person, studyId)).toEqual({ status: "b2", isReady: true });
});

test("with ACK=store an upload fails if the store does: nothing is listed and no bytes are left", async () => {
  await using folder = createTempFolder();
  const inner = createDiskStore({ root: folder.path });
  const store = failing(inner, { method: "open", when: "before" });
  await using t = await createTestApp({ jobs: false, env: { ACK: "store" }, overrides: { store } });
  const person = await t.addPerson("Nada Fica");
  expect((await t.upload(person, sampleZip({ study: "7" }))).status).toBe(503);
  expect(await (await t.call("GET", "/api/studies", { as: person })).json()).toEqual([]);
  expect(await stagedNames(t)).toEqual([]);
  expect(await Array.fromAsync(inner.list(""))).toEqual([]);
});

test("with ACK=store uploads that the store refuses leave nothing on this disk, also while it lists nothing", async () => {
  await using folder = createTempFolder();
  const away = () => {
    throw new StoreUnavailable("away");
  };
  const store = { ...createDiskStore({ root: folder.path }), putFile: away, list: away };
  await using t = await createTestApp({ jobs: false, env: { ACK: "store" }, overrides: { store } });
  const person = await t.addPerson("Disco Livre");
  expect((await t.upload(person, sampleZip({ study: "10" }))).status).toBe(503);
  expect(await stagedNames(t)).toEqual([]);
});

/** A store whose first `count` looks at an object find it empty still. */
function showingLate(store: ObjectStore, count: number): ObjectStore {
  let looks = 0;
  return {
    ...store,
    stat: async (key) => (looks++ < count ? { sizeBytes: 0 } : await store.stat(key)),
  };
}

test("with ACK=store an upload is taken in though the store answers before it can read what it took", async () => {
  await using folder = createTempFolder();
  const store = showingLate(createDiskStore({ root: folder.path }), 1);
  await using t = await createTestApp({ jobs: false, env: { ACK: "store" }, overrides: { store } });
  const person = await t.addPerson("Cópia Tardia");
  const { studyId } = await uploadStaged(t, person, "8");
  expect(await statusOf(t, person, studyId)).toEqual({ status: "b2", isReady: true });
});

test("with ACK=store an upload may be tried again if the store never shows what it took, and leaves nothing", async () => {
  await using folder = createTempFolder();
  const inner = createDiskStore({ root: folder.path });
  const store = showingLate(inner, Number.POSITIVE_INFINITY);
  await using t = await createTestApp({ jobs: false, env: { ACK: "store" }, overrides: { store } });
  const person = await t.addPerson("Cópia Perdida");
  const answer = await t.upload(person, sampleZip({ study: "9" }));
  expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([503, true]);
  expect(await (await t.call("GET", "/api/studies", { as: person })).json()).toEqual([]);
  expect(await stagedNames(t)).toEqual([]);
  expect(await Array.fromAsync(inner.list(""))).toEqual([]);
});

test("a failed transfer that a person has tried again shows so at once, and error again if it fails again", async () => {
  await using t = await createTestApp({ jobs: false });
  const person = await t.addPerson("Tenta de Novo");
  const { studies } = (await (await t.upload(person, sampleZip({ study: "86" }))).json()) as UploadAnswer;
  const id = studies[0]?.id;
  const [row] = await t.sql`select upload_id from stored_objects limit 1`;
  const statusOf = async () =>
    ((await (await t.call("GET", `/api/studies/${id}/status`, { as: person })).json()) as StudyStatus).status;
  const { store } = t.deps;
  const put = store.putFile.bind(store);
  const transfer = () =>
    transferUpload(t.deps, row?.upload_id, new AbortController().signal, { isRetry: true });
  const retry = () => t.call("POST", `/api/studies/${id}/retry-transfer`, { as: person });
  store.putFile = () => Promise.reject(new StoreUnavailable("putFile"));
  for (const _ of [1, 2]) {
    await expect(transfer()).rejects.toThrow();
    expect(await statusOf()).toBe("error");
    expect((await retry()).status).toBe(202);
    expect(await statusOf()).toBe("transferring");
  }
  store.putFile = put;
  await transfer();
  expect(await statusOf()).toBe("b2");
  // Nothing is staged any more.
  expect((await retry()).status).toBe(202);
  expect(await statusOf()).toBe("b2");
});
