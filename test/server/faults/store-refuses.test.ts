import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { beat } from "../../../src/server/nodes/beat.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createS3Store } from "../../../src/server/storage/s3/s3-store.ts";
import type { Operations } from "../../../src/shared/api/operations.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { tusOf } from "../../support/app/tus.ts";
import { type FaultyS3Server, startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { until } from "../../support/until.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";
import { attachReport } from "../removals/filled-account.ts";

const refusals = [
  { what: "full, as Ceph says", status: 403, code: "QuotaExceeded", why: "full" },
  { what: "full, as MinIO says", status: 507, code: "XMinioStorageFull", why: "full" },
  { what: "past its quota, as MinIO says", status: 400, code: "XMinioAdminBucketQuotaExceeded", why: "full" },
  { what: "read-only for our key", status: 403, code: "AccessDenied", why: "read_only" },
] as const;

let s3: FaultyS3Server;
let t: TestApp;
let person: Person;
let admin: Person;
let studies = 0;

beforeAll(async () => {
  s3 = await startFaultyS3Server();
  const store = createS3Store({ ...s3.options, timeoutMs: 2_000, retries: 1 });
  // Uploads and transfers fail on purpose, and each failure is logged.
  const log = createLogger({ level: "error", write: () => {} });
  t = await createTestApp({ overrides: { store, log } });
  person = await t.addPerson("Loja Cheia", { plan: "clinica" });
  admin = await t.addPerson("Alice Admin", { role: "admin" });
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
});
beforeEach(() => {
  s3.fault = () => undefined;
});

const answerOf = async (response: Response) => ({
  status: response.status,
  code: (await problemOf(response)).code,
});

const storeRefusal = async () => {
  const answer = await t.call("GET", "/api/operations", { as: admin });
  return ((await answer.json()) as Operations).nodes.map((node) => node.storeRefusal);
};

const isWell = async (uploads: boolean) => {
  const answer = await t.call("GET", "/api/health");
  const body = await answer.json();
  return answer.status === 200 && body.store === true && body.uploads === uploads;
};

const retryNow = () => t.sql`update pgboss.job set start_after = now() where state = 'retry'`;

for (const { what, status, code, why } of refusals) {
  describe(`while the store is ${what}`, () => {
    const refused =
      why === "full" ? { status: 507, code: "storage.full" } : { status: 503, code: "storage.read_only" };
    const refuse = () => {
      s3.fault = ({ method }) => (method === "PUT" || method === "POST" ? { status, code } : undefined);
    };

    test("uploads are refused with a clear word, exams are seen, and it goes on where it stopped", async () => {
      const study = String(++studies);
      const [stored] = (await t.store(person, sampleZip({ study }))).studies;
      const tus = tusOf(t, person);
      const zip = sampleZip({ study: String(++studies) });
      const url = await tus.begin(zip.length);
      refuse();
      expect(await answerOf(await tus.patch(url, 0, zip))).toEqual(refused);
      expect(await answerOf(await attachReport(t, person, stored?.id ?? ""))).toEqual(refused);
      expect((await t.call("GET", `/api/studies/${stored?.id}/download`, { as: person })).status).toBe(200);

      s3.fault = () => undefined;
      const offset = Number((await tus.head(url)).headers.get("upload-offset"));
      expect((await tus.patch(url, offset, zip.subarray(offset))).status).toBe(204);
      expect((await tus.outcome(url)).state).toBe("done");
      await t.settle();
    }, 240_000);

    test("health and the admin are told that uploads are not possible, until it takes something again", async () => {
      const tus = tusOf(t, person);
      const zip = sampleZip({ study: String(++studies) });
      const url = await tus.begin(zip.length);
      await until(() => isWell(true));
      refuse();
      await tus.patch(url, 0, zip);
      await until(() => isWell(false));
      expect(await storeRefusal()).toEqual([why]);
      await beat(t.deps);
      expect((await t.sql`select store_refusal from nodes`)[0]?.store_refusal).toBe(why);

      s3.fault = () => undefined;
      expect((await tus.patch(url, 0, zip)).status).toBe(204);
      await until(() => isWell(true));
      expect(await storeRefusal()).toEqual([null]);
      await t.settle();
    }, 240_000);

    test("what is kept on this disk reaches the store by itself after it", async () => {
      refuse();
      const sent = await t.upload(person, sampleZip({ study: String(++studies) }));
      expect(sent.status).toBe(201);
      const [stored] = ((await sent.json()) as { studies: { id: string }[] }).studies;
      const state = async () =>
        (await (await t.call("GET", `/api/studies/${stored?.id}/status`, { as: person })).json()).status;
      await until(async () => (await state()) === "error");
      s3.fault = () => undefined;
      await until(async () => {
        await retryNow();
        return (await state()) === "b2";
      });
      await t.settle();
    }, 240_000);
  });
}
