import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { sweepUploads } from "../../../src/server/holdings/sweeping/sweep-uploads.ts";
import { insertUpload } from "../../../src/server/holdings/uploads/uploads.repo.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let t: TestApp;
let person: Person;
let isAway = false;
/** Uploads of which the store gives up nothing, while it answers for others. */
const stuck = new Set<string>();
let lists = 0;

beforeAll(async () => {
  t = await createTestApp({
    jobs: false,
    overrides: { log: createLogger({ level: "error", write: () => {} }) },
  });
  const { store } = t.deps;
  const list = store.list.bind(store);
  t.deps.store.list = (prefix) => {
    lists++;
    if (isAway || stuck.has(prefix)) throw new StoreUnavailable("away");
    return list(prefix);
  };
  const check = store.check.bind(store);
  t.deps.store.check = async () => {
    if (isAway) throw new StoreUnavailable("away");
    await check();
  };
  person = await t.addPerson("Loja Longe", { plan: "clinica" });
});
afterAll(() => t[Symbol.asyncDispose]());
beforeEach(() => {
  isAway = true;
  lists = 0;
});

const unremoved = async () =>
  (await t.sql`select id from uploads where state = 'failed' and bytes_removed_at is null`).length;

test("an upload that fails before a byte goes to the store does not wait for it", async () => {
  const refused = await t.upload(person, sampleZip({}).subarray(0, 200));
  expect(refused.status).toBe(422);
  expect(lists).toBe(0);
  expect(await unremoved()).toBe(0);
});

test("a store that is away is asked once, however many uploads wait for it, and for all of them once it is back", async () => {
  const { db, node, clock, store } = t.deps;
  const ids = Array.from({ length: 1_100 }, () => Bun.randomUUIDv7());
  const row = { accountId: person.id, nodeId: node.id, bootId: "an-earlier-boot", startedAt: clock.now() };
  for (const id of ids) await insertUpload(db, { ...row, id, state: "failed" });
  const last = ids.toSorted().at(-1);
  await store.putBytes(`${last}/a.zip`, new Uint8Array(10));
  await sweepUploads(t.deps);
  expect(lists).toBe(1);
  expect(await unremoved()).toBe(ids.length);
  isAway = false;
  await sweepUploads(t.deps);
  expect(await unremoved()).toBe(0);
  expect(await Array.fromAsync(store.list(`${last}/`))).toEqual([]);
});

test("some that the store can't remove do not keep the later ones there", async () => {
  const { db, node, clock, store } = t.deps;
  const ids = Array.from({ length: 4 }, () => Bun.randomUUIDv7()).sort();
  const row = { accountId: person.id, nodeId: node.id, bootId: "an-earlier-boot", startedAt: clock.now() };
  for (const id of ids) await insertUpload(db, { ...row, id, state: "failed" });
  const [first, , third, last] = ids;
  for (const id of [first, third]) stuck.add(`${id}/`);
  await store.putBytes(`${last}/a.zip`, new Uint8Array(10));
  isAway = false;
  await sweepUploads(t.deps);
  const left = await t.sql`
    select id from uploads where bytes_removed_at is null and id = any(${ids}::uuid[]) order by id`;
  expect(left.map(({ id }) => id)).toEqual([first, third]);
  expect(await Array.fromAsync(store.list(`${last}/`))).toEqual([]);
});
