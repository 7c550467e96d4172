import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sweepArriving } from "../../../src/server/features/ingest/resumable/sweep-resumables.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";
import { tusOf } from "../../support/app/tus.ts";

setDefaultTimeout(240_000);

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ jobs: false });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const DAY_MS = 24 * 3600_000;

test("bytes that arrived outlast a start with another database by mistake, and go after a month without a row", async () => {
  const tus = tusOf(t, await t.addPerson("Ana"));
  const url = await tus.begin(1_000);
  expect((await tus.patch(url, 0, new Uint8Array(600))).status).toBe(204);
  const folder = join(t.deps.node.arrivingDir, url.split("/").at(-1) ?? "");
  const elsewhere = async () => {
    await t.sql`create table elsewhere as select * from resumable_uploads`;
    await t.sql`delete from resumable_uploads`;
  };
  const back = async () => {
    await t.sql`insert into resumable_uploads select * from elsewhere`;
    await t.sql`drop table elsewhere`;
  };

  await elsewhere();
  await sweepArriving(t.deps);
  t.advance(60_000);
  await sweepArriving(t.deps);
  await back();
  await sweepArriving(t.deps);
  expect((await tus.head(url)).headers.get("upload-offset")).toBe("600");

  // A full disk has no room for the note of when they were first seen.
  await elsewhere();
  writeFileSync(join(folder, "unnamed"), "");
  await sweepArriving(t.deps);
  expect(existsSync(folder)).toBe(true);
  await back();
  await sweepArriving(t.deps);

  await elsewhere();
  t.advance(20 * DAY_MS);
  await sweepArriving(t.deps);
  expect(existsSync(folder)).toBe(true);
  t.advance(31 * DAY_MS);
  await sweepArriving(t.deps);
  expect(existsSync(folder)).toBe(false);
});

test.skipIf(process.getuid?.() !== 0)(
  "unknown bytes on a full disk let the server start, and stay for a month from when there is room",
  async () => {
    const folder = join(t.deps.node.arrivingDir, Bun.randomUUIDv7());
    const note = join(folder, "unnamed");
    mkdirSync(folder);
    // A machine that lets nobody mount has no small disk.
    if (Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=4k", "none", folder]).exitCode !== 0) return;
    try {
      writeFileSync(join(folder, "bytes"), new Uint8Array(4096));
      for (let starts = 0; starts < 2; starts++) await sweepArriving(t.deps);
      expect(readFileSync(note, "utf8")).toBe("");
      rmSync(join(folder, "bytes"));
      await sweepArriving(t.deps);
      expect(readFileSync(note, "utf8")).toMatch(/^\d{13}$/);
    } finally {
      Bun.spawnSync(["umount", "-l", folder]);
    }
  },
);
