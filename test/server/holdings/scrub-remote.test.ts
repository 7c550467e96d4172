import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";
import { checkObject } from "../../../src/server/holdings/checking/check-object.ts";
import { healObject } from "../../../src/server/holdings/checking/heal-object.ts";
import { rereadFindings } from "../../../src/server/holdings/checking/reread-findings.ts";
import { findStoredObject } from "../../../src/server/holdings/objects/stored-objects.repo.ts";
import { readObject } from "../../../src/server/holdings/reading/open-object.ts";
import { createRefusedObject } from "../../../src/server/holdings/scrubbing/refused-object.ts";
import { scrubArchive } from "../../../src/server/holdings/scrubbing/scrub-archive.ts";
import { createS3Store } from "../../../src/server/storage/s3/s3-store.ts";
import type { KeptInstances } from "../../../src/shared/api/kept-instances.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { s3Environment } from "../../support/store/s3-environment.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

const s3 = await startFaultyS3Server();
let t: TestApp;
let ana: Person;
let studyId: string;

beforeAll(async () => {
  t = await createTestApp({
    env: s3Environment(s3.options),
  });
  ana = await t.addPerson("Ana", { plan: "clinica" });
  studyId = (await t.store(ana, sampleZip({ study: "1" }))).studies[0]?.id ?? "";
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
});

const origin = () => t.deps.cache?.origin ?? t.deps.store;
const signal = new AbortController().signal;

async function volume() {
  const [row] = await t.sql`select id from stored_objects where study_id = ${studyId} and kind = 'volume'`;
  const object = await findStoredObject(t.deps.db, String(row?.id));
  if (!object) throw new Error("the study has no volume");
  return object;
}

const bytesOf = async ({ key, sizeBytes }: { key: string; sizeBytes: number }) =>
  await origin().read(key, { offset: 0, length: sizeBytes });

/** Changes a byte in the store, behind the server's back. */
async function harm(object: { key: string; sizeBytes: number }): Promise<Uint8Array> {
  const whole = await bytesOf(object);
  const changed = Uint8Array.from(whole);
  changed[200] = (changed[200] ?? 0) ^ 1;
  await origin().putBytes(object.key, changed);
  return whole;
}

type Answer = ReturnType<typeof s3.bucket.handle>;

const LIES: Record<string, (answer: Answer) => Answer> = {
  "gave other bytes": (answer) => ({ ...answer, body: answer.body.map((byte) => byte ^ 1) }),
  "said another size": (answer) => ({ ...answer, body: answer.body.subarray(0, -1) }),
};

const integrity = async () =>
  ((await (await t.call("GET", "/api/studies", { as: ana })).json()) as Study[])[0]?.integrity;
const healings = async () =>
  (await t.sql`select healed_by from integrity_findings order by id`).map(({ healed_by }) => healed_by);

beforeEach(async () => {
  s3.fault = () => undefined;
  await t.sql`delete from integrity_findings`;
});

describe("an archive in S3", () => {
  test("is scrubbed by ranges, each object once, and an unreachable store is no finding", async () => {
    await t.sql`delete from scrub_rounds`;
    let days = 0;
    const clock = { now: () => new Date(t.deps.clock.now().getTime() + days * 86_400_000) };
    const deps = { ...t.deps, clock, config: { ...t.deps.config, scrubDays: 30 } };
    const objects = await t.sql`select key from stored_objects`;
    s3.seen.length = 0;
    await scrubArchive(deps, signal);
    days = 30;
    const cache = t.deps.cache && { ...t.deps.cache, origin: createS3Store(s3.options) };
    s3.fault = () => ({ status: 503, code: "SlowDown" });
    await expect(scrubArchive({ ...deps, cache }, signal)).rejects.toThrow();
    s3.fault = () => undefined;
    s3.seen.length = 0;
    await t.sql`update scrub_rounds set objects_read = 0, owner_id = null, object_id = null`;
    await scrubArchive(deps, signal);
    const requests = s3.seen.filter(({ key }) => key !== "");
    const gets = requests.filter(({ method }) => method === "GET");
    expect(gets).toHaveLength(objects.length);
    expect(gets.every(({ headers }) => headers.range !== undefined)).toBe(true);
    // One look at the size and one read of each small object, and no listing.
    expect(s3.seen).toHaveLength(2 * objects.length);
    expect(await healings()).toEqual([]);
  });

  test("has an object that it refuses told as missing after half an hour, and the round goes on", async () => {
    await t.sql`delete from scrub_rounds`;
    let minutes = 0;
    const clock = { now: () => new Date(t.deps.clock.now().getTime() + minutes * 60_000) };
    const cache = t.deps.cache && { ...t.deps.cache, origin: createS3Store(s3.options) };
    const elapsedMs = () => t.deps.elapsedMs() + minutes * 60_000;
    const deps = { ...t.deps, clock, elapsedMs, cache, config: { ...t.deps.config, scrubDays: 30 } };
    const refused = createRefusedObject();
    const { id, key } = await volume();
    s3.fault = (seen) =>
      seen.key.endsWith(key) && seen.method === "GET" ? { status: 500, code: "InternalError" } : undefined;
    await scrubArchive(deps, signal, refused);
    minutes = 30 * 24 * 60;
    await expect(scrubArchive(deps, signal, refused)).rejects.toThrow();
    minutes += 29;
    await expect(scrubArchive(deps, signal, refused)).rejects.toThrow();
    expect(await t.sql`select found from integrity_findings`).toBeEmpty();
    minutes += 1;
    const all = (seen: { key: string }) =>
      seen.key.endsWith(key) || seen.key === "" ? { status: 500, code: "InternalError" } : undefined;
    const one = s3.fault;
    s3.fault = all;
    await expect(scrubArchive(deps, signal, refused)).rejects.toThrow();
    expect(await t.sql`select found from integrity_findings`).toBeEmpty();
    s3.fault = one;
    await scrubArchive(deps, signal, refused);
    const findings = await t.sql`select object_id, found from integrity_findings`;
    expect(findings.map((row) => ({ ...row }))).toEqual([{ object_id: id, found: "missing" }]);
    const [round] = await t.sql`select objects_read, findings from scrub_rounds order by started_at desc`;
    expect(round).toMatchObject({ objects_read: 2, findings: 1 });
    const asks: string[] = [];
    const studies = {
      ...t.deps.owners.studies,
      enqueueCheck: async (_: unknown, of: string) => void asks.push(of),
    };
    minutes += 2;
    await rereadFindings({ ...deps, owners: { ...t.deps.owners, studies } }, new Map());
    expect(asks).toEqual([]);
    const [looked] = await t.sql`select checked_at > found_at as again from integrity_findings`;
    expect(looked?.again).toBe(true);
    s3.fault = () => undefined;
    minutes += 10;
    await rereadFindings({ ...deps, owners: { ...t.deps.owners, studies } }, new Map());
    expect(asks).toEqual([studyId]);
    await t.deps.db.transaction((tx) => t.deps.owners.studies.enqueueCheck(tx, studyId));
    await t.settle();
    expect(await healings()).toEqual(["reread"]);
    expect(await integrity()).toBe("ok");
  });

  for (const [what, lie] of Object.entries(LIES)) {
    test(`is not called damaged because its store once ${what}`, async () => {
      const object = await volume();
      const honest = s3.bucket.handle;
      for (const liesAt of [1, 2]) {
        let asked = 0;
        s3.bucket.handle = (request, body) => {
          const answer = honest(request, body);
          return request.key === object.key && ++asked === liesAt ? lie(answer) : answer;
        };
        expect(await checkObject(t.deps, object)).toBeUndefined();
        expect(asked).toBeGreaterThan(1);
      }
      s3.bucket.handle = honest;
      expect(await healings()).toEqual([]);
      expect(await integrity()).toBe("ok");
    });
  }

  test("stays damaged while its store answers wrong as often as right, and what it once answered wrong is logged", async () => {
    const object = await volume();
    const events: string[] = [];
    const note = (event: string) => void events.push(event);
    const deps = {
      ...t.deps,
      log: { ...t.deps.log, warn: note, error: note },
      jobs: { enqueue: async () => undefined } as never,
    };
    const honest = s3.bucket.handle;
    const readWhileWrong = async (isWrong: (reads: number) => boolean) => {
      let reads = 0;
      s3.bucket.handle = (request, body) => {
        const answer = honest(request, body);
        if (request.key !== object.key || request.method !== "GET") return answer;
        return isWrong(++reads) ? (LIES["gave other bytes"]?.(answer) ?? answer) : answer;
      };
      return await checkObject(deps, object).finally(() => {
        s3.bucket.handle = honest;
      });
    };
    expect(await readWhileWrong((reads) => reads === 1)).toBeUndefined();
    expect(events).toEqual(["archive.misread"]);
    expect(await readWhileWrong(() => true)).toBe("damaged");
    expect(await readWhileWrong((reads) => reads % 2 === 1)).toBe("damaged");
    expect(await healings()).toEqual([null]);
    expect(await readWhileWrong(() => false)).toBeUndefined();
    expect(await healings()).toEqual(["reread"]);
    await t.deps.owners.studies.settleRead(t.deps.db, studyId, t.deps.clock.now());
    expect(await integrity()).toBe("ok");
  });

  test("is checked itself: a right local copy does not hide that the store has changed bytes, and heals them", async () => {
    const object = await volume();
    expect(await t.deps.store.stat(object.key)).toBeDefined();
    expect(await t.deps.cache?.warm(object.key)).toBe(true);
    const whole = await harm(object);
    await readObject(t.deps, object);
    expect(await healings()).toEqual([]);
    expect(await checkObject(t.deps, object)).toBe("damaged");
    await t.settle();
    expect(await bytesOf(object)).toEqual(whole);
    expect(await healings()).toEqual(["copy"]);
    expect(await integrity()).toBe("ok");
  });

  test("is healed from a copy that an earlier run left, which a failed read does not remove", async () => {
    const object = await volume();
    expect(await t.deps.cache?.warm(object.key)).toBe(true);
    const whole = await harm(object);
    await using restarted = await t.startAgain();
    const frames = await restarted.app.request(`/api/studies/${studyId}/download`, {
      headers: { authorization: `Bearer ${ana.token}` },
    });
    await frames.arrayBuffer().catch(() => undefined);
    await t.settle();
    expect(await bytesOf(object)).toEqual(whole);
    expect(await healings()).toEqual(["copy"]);
    expect(await integrity()).toBe("ok");
  });

  test("is healed from staged bytes that were not removed yet", async () => {
    const object = await volume();
    await t.deps.cache?.dropCopy(object.key);
    const path = t.deps.node.stagedPath(object.key);
    await mkdir(dirname(path), { recursive: true });
    const whole = await bytesOf(object);
    writeFileSync(path, whole);
    await harm(object);
    expect(await checkObject(t.deps, object)).toBe("damaged");
    await t.settle();
    expect(await bytesOf(object)).toEqual(whole);
    expect(await healings()).toEqual(["copy"]);
    await t.deps.staging.delete(object.key);
  });

  test("is not overwritten by a copy that is wrong too, and the finding stays open", async () => {
    const object = await volume();
    expect(await t.deps.cache?.warm(object.key)).toBe(true);
    const folder = join(t.deps.config.dataDir, "cache");
    for (const name of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, name));
      bytes[100] = (bytes[100] ?? 0) ^ 1;
      writeFileSync(join(folder, name), bytes);
    }
    const whole = await harm(object);
    const harmed = await bytesOf(object);
    expect(await checkObject(t.deps, object)).toBe("damaged");
    await t.settle();
    expect(await bytesOf(object)).toEqual(harmed);
    expect(await healings()).toEqual([null]);
    expect(await integrity()).toBe("damaged");
    await origin().putBytes(object.key, whole);
    expect(await checkObject(t.deps, object)).toBeUndefined();
    expect(await healings()).toEqual(["reread"]);
  });

  test("is switched to the copy of an interrupted transfer if the staged bytes are damaged", async () => {
    const object = await volume();
    const whole = await bytesOf(object);
    const path = t.deps.node.stagedPath(object.key);
    await mkdir(dirname(path), { recursive: true });
    const changed = Uint8Array.from(whole);
    changed[0] = 1;
    writeFileSync(path, changed);
    await t.sql`update stored_objects set location = 'staging', staged_on = ${t.deps.node.id}
      where id = ${object.id}`;
    expect(await checkObject(t.deps, await volume())).toBe("damaged");
    await t.settle();
    expect(await volume()).toMatchObject({ location: "archive", stagedOn: null });
    expect(await healings()).toEqual(["copy"]);
    expect(await integrity()).toBe("ok");
  });

  test("is not written to without a finding", async () => {
    const object = await volume();
    expect(await t.deps.cache?.warm(object.key)).toBe(true);
    s3.seen.length = 0;
    expect(await healObject(t.deps, { objectId: object.id, kind: "volume" }, signal)).toBe(false);
    expect(s3.seen.filter(({ method }) => method !== "GET" && method !== "HEAD")).toEqual([]);
  });

  test("gets nothing back for an exam that was deleted meanwhile", async () => {
    const { id } = (await t.store(ana, sampleZip({ study: "2" }))).studies[0] ?? { id: "" };
    const [row] = await t.sql`select id, key from stored_objects where study_id = ${id} and kind = 'volume'`;
    const key = String(row?.key);
    expect(await t.deps.cache?.warm(key)).toBe(true);
    const path = t.deps.cache?.copyPath(key) ?? "";
    const bytes = readFileSync(path);
    await t.sql`insert into integrity_findings (id, object_id, kind, study_id, key, size_bytes, found, found_at, checked_at)
      values (${Bun.randomUUIDv7()}, ${row?.id}, 'volume', ${id}, ${key}, ${bytes.length}, 'missing', now(), now())`;
    await origin().delete(key);
    const deleting = {
      ...t.deps,
      cache: t.deps.cache && {
        ...t.deps.cache,
        origin: {
          ...origin(),
          async putFile(...args: Parameters<ReturnType<typeof origin>["putFile"]>) {
            expect((await t.call("DELETE", `/api/studies/${id}`, { as: ana })).status).toBe(200);
            await t.settle();
            writeFileSync(path, bytes);
            await origin().putFile(...args);
          },
        },
      },
    };
    expect(await healObject(deleting, { objectId: String(row?.id), kind: "volume" }, signal)).toBe(false);
    await t.settle();
    expect(await origin().stat(key)).toBeUndefined();
  });

  test("gets nothing back for an exam that was deleted meanwhile, even if the node is killed once it put the copy back", async () => {
    const { id } = (await t.store(ana, sampleZip({ study: "3" }))).studies[0] ?? { id: "" };
    const [row] = await t.sql`select id, key from stored_objects where study_id = ${id} and kind = 'volume'`;
    const key = String(row?.key);
    expect(await t.deps.cache?.warm(key)).toBe(true);
    const bytes = readFileSync(t.deps.cache?.copyPath(key) ?? "");
    await t.sql`insert into integrity_findings (id, object_id, kind, study_id, key, size_bytes, found, found_at, checked_at)
      values (${Bun.randomUUIDv7()}, ${row?.id}, 'volume', ${id}, ${key}, ${bytes.length}, 'missing', now(), now())`;
    await origin().delete(key);
    const killed = {
      ...t.deps,
      cache: t.deps.cache && {
        ...t.deps.cache,
        origin: {
          ...origin(),
          async putFile() {
            expect((await t.call("DELETE", `/api/studies/${id}`, { as: ana })).status).toBe(200);
            await t.settle();
            await origin().putBytes(key, bytes);
            throw new Error("killed");
          },
        },
      },
    };
    const job = { objectId: String(row?.id), kind: "volume", key } as const;
    await expect(healObject(killed, job, signal)).rejects.toThrow("killed");
    expect(await origin().stat(key)).toBeDefined();
    expect(await healObject(t.deps, job, signal)).toBe(false);
    await t.settle();
    expect(await origin().stat(key)).toBeUndefined();
  });

  test("has a manifest that is gone put back once its exam is sent or asked for again, though this node has a copy", async () => {
    const [row] =
      await t.sql`select id from stored_objects where study_id = ${studyId} and kind = 'manifest'`;
    const manifest = await findStoredObject(t.deps.db, String(row?.id));
    const { key, sizeBytes } = manifest ?? { key: "", sizeBytes: 0 };
    expect(await t.deps.cache?.warm(key)).toBe(true);
    const asked = () => t.call("GET", `/api/studies/${studyId}/kept-instances`, { as: ana });
    for (const again of [() => t.store(ana, sampleZip({ study: "1" })), asked]) {
      await t.deps.cache?.warm(key);
      await origin().delete(key);
      await again();
      await t.settle();
      expect(await origin().stat(key)).toMatchObject({ sizeBytes });
    }
    expect(await healings()).toEqual(["copy", "copy"]);
    expect(await integrity()).toBe("ok");
  });

  test("has one damaged instance healed by sending it alone, and the others taken over", async () => {
    const sent = [{ study: "2" }, { study: "2", sop: "2" }];
    const { studies } = await t.store(ana, sampleZip(...sent));
    studyId = studies[0]?.id ?? "";
    const object = await volume();
    await t.deps.cache?.dropCopy(object.key);
    await harm(object);
    expect(await checkObject(t.deps, object)).toBe("damaged");
    await t.settle();
    await t.deps.cache?.dropCopy(object.key);
    const kept = await t.call("GET", `/api/studies/${studyId}/kept-instances`, { as: ana });
    const { damaged } = (await kept.json()) as KeptInstances;
    expect(damaged?.map(({ sopInstanceUID }) => sopInstanceUID)).toContain("2.25.3.2.1.1");
    await t.store(ana, sampleZip({ study: "2" }));
    const [study] = await t.sql`select integrity, instance_count from studies where id = ${studyId}`;
    expect(study).toEqual({ integrity: "ok", instance_count: 2 });
    expect((await volume()).id).not.toBe(object.id);
    const download = await t.call("GET", `/api/studies/${studyId}/download`, { as: ana });
    expect(Object.keys(unzipSync(new Uint8Array(await download.arrayBuffer())))).toHaveLength(2);
  });
});
