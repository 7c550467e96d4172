import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { access, constants, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createDiskRoom } from "../../../src/server/storage/disk/disk-room.ts";
import { spaceOf } from "../../../src/server/storage/disk/disk-space.ts";
import { createTestApp, type Person, problemOf, type TestApp } from "../../support/app/test-app.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { until } from "../../support/until.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

const MIB = 1024 ** 2;
const folder = createTempFolder();
const mount = (...args: string[]) => Bun.spawnSync(["mount", ...args, folder.path]).exitCode === 0;
/** A small disk of its own, which only a privileged test can make. */
const hasDisk = process.getuid?.() === 0 && mount("-t", "tmpfs", "-o", "size=48m", "none");

let t: TestApp;
let person: Person;
let studyId: string;

beforeAll(async () => {
  if (!hasDisk) return;
  const disk = createDiskRoom({
    spareBytes: 2 * MIB,
    readSpace: () => spaceOf(folder.path),
    assertWritable: () => access(folder.path, constants.W_OK),
  });
  const log = createLogger({ level: "error", write: () => {} });
  t = await createTestApp({ env: { DATA_DIR: folder.path }, overrides: { disk, log } });
  person = await t.addPerson("Disco Doente", { plan: "clinica" });
  studyId = (await t.store(person, sampleZip({ study: "1" }))).studies[0]?.id ?? "";
}, 240_000);
afterAll(async () => {
  if (hasDisk) {
    await t[Symbol.asyncDispose]();
    Bun.spawnSync(["umount", "-l", folder.path]);
  }
  await folder[Symbol.asyncDispose]();
});

async function readsOn(): Promise<void> {
  const signedIn = await t.call("POST", "/api/auth/login", {
    json: { email: person.email, password: person.password },
  });
  expect(signedIn.status).toBe(200);
  for (const path of [
    "/api/studies",
    "/dicomweb/studies/2.25.1.1/series/2.25.2.1.1/metadata",
    `/api/studies/${studyId}/download`,
  ]) {
    const answer = await t.call("GET", path, { as: person });
    expect([path, answer.status]).toEqual([path, 200]);
    await answer.arrayBuffer();
  }
}

async function health(): Promise<[number, { disk: boolean; uploads: boolean }]> {
  // A node that has just started has no earlier outcome of its checks.
  const { createHealthChecks } = await import("../../../src/server/http/health-checks.ts");
  const checks = createHealthChecks(t.deps);
  const [disk, uploads] = [await checks.disk.isUp(), await checks.uploads.isUp()];
  return [disk ? 200 : 503, { disk, uploads }];
}

describe.skipIf(!hasDisk)("on a real disk", () => {
  test("that is full, uploads are refused with a clear word, all reading goes on, and room ends it", async () => {
    const filler = join(folder.path, "filler");
    const { freeBytes } = await spaceOf(folder.path);
    await writeFile(filler, new Uint8Array(freeBytes - MIB));
    const refused = await t.upload(person, sampleZip({ study: "2" }));
    expect([refused.status, (await problemOf(refused)).code]).toEqual([507, "storage.full"]);
    expect(refused.headers.get("retry-after")).toBe("60");
    await readsOn();
    expect(await health()).toEqual([503, { disk: false, uploads: false }]);
    const other = (await (await t.call("GET", "/api/studies", { as: person })).json()) as unknown[];
    expect(other).toHaveLength(1);
    await rm(filler);
    expect((await t.upload(person, sampleZip({ study: "2" }))).status).toBe(201);
    expect(await health()).toEqual([200, { disk: true, uploads: true }]);
    await t.settle();
  }, 240_000);

  test("that became read-only, uploads are refused with a clear word, all reading goes on, and writing ends it", async () => {
    const { studies } = await t.store(person, sampleZip({ study: "4" }));
    const transferred = async () => {
      const [study] = await t.sql`select storage_status from studies where study_instance_uid = '2.25.1.5'`;
      return study?.storage_status;
    };
    // Its transfer waits behind this, until the disk is read-only.
    const burst = t.deps.bursts.enter();
    expect((await t.upload(person, sampleZip({ study: "5" }))).status).toBe(201);
    expect(mount("-o", "remount,ro")).toBe(true);
    try {
      burst[Symbol.dispose]();
      await until(async () => (await transferred()) === "error");
      const refused = await t.upload(person, sampleZip({ study: "3" }));
      expect([refused.status, (await problemOf(refused)).code]).toEqual([503, "storage.read_only"]);
      await readsOn();
      expect(await health()).toEqual([503, { disk: false, uploads: false }]);
      // Gone from view at once; its bytes go once the disk takes changes.
      expect((await t.call("DELETE", `/api/studies/${studies[0]?.id}`, { as: person })).status).toBe(200);
    } finally {
      mount("-o", "remount,rw");
    }
    expect(await health()).toEqual([200, { disk: true, uploads: true }]);
    expect((await t.upload(person, sampleZip({ study: "3" }))).status).toBe(201);
    await t.sql`update pgboss.job set start_after = now() where state = 'retry'`;
    await t.settle();
    expect(await transferred()).toBe("b2");
    const rows = await t.sql`select 1 from uploads where state = 'receiving'`;
    expect([...rows]).toEqual([]);
  }, 240_000);
});
