import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir, writeFile } from "node:fs/promises";
import { newSpoolName } from "../../../src/server/documents/form-spool.ts";
import { sweepUploads } from "../../../src/server/holdings/sweeping/sweep-uploads.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ jobs: false });
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

test("the file of a form that a killed run left is removed, and none of this run", async () => {
  const { node } = t.deps;
  const own = newSpoolName(node);
  const ofOlderRelease = `form-${Bun.randomUUIDv7()}`;
  for (const name of [own, newSpoolName({ bootId: Bun.randomUUIDv7() }), ofOlderRelease])
    await writeFile(node.stagedPath(name), "");
  await sweepUploads(t.deps);
  const left = (await readdir(node.stagingDir)).filter((name) => name.startsWith("form-"));
  expect(left).toEqual([own]);
});
