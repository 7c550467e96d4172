import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FolderIsUnwritable } from "../../../src/server/features/safekeeping/safekeeping.errors.ts";
import { createLogger } from "../../../src/server/runtime/log.ts";
import { createS3Store } from "../../../src/server/storage/s3/s3-store.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";
import { type ConnectionProxy, startConnectionProxy } from "../../support/network/connection-proxy.ts";
import { backUp } from "../../support/program/installations.ts";
import { type FaultyS3Server, startFaultyS3Server } from "../../support/store/faulty-s3-server.ts";
import { s3Environment } from "../../support/store/s3-environment.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { sampleZip } from "../../support/zip/sample-zip.ts";

let s3: FaultyS3Server;
let t: TestApp;
let proxy: ConnectionProxy;

beforeAll(async () => {
  s3 = await startFaultyS3Server();
  t = await createTestApp({
    env: { ...s3Environment(s3.options), ACK: "disk" },
    overrides: { store: createS3Store(s3.options), log: createLogger({ level: "error", write: () => {} }) },
  });
  proxy = await startConnectionProxy(t.deps.config.databaseUrl ?? "");
  const person = await t.addPerson("Guarda Tudo", { plan: "clinica" });
  for (const study of ["1", "2", "3"]) await t.store(person, sampleZip({ study }));
}, 240_000);
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
});
beforeEach(() => {
  s3.fault = () => undefined;
  s3.pause = async () => {};
  proxy.mend();
});

/** At the first object that a backup copies. */
function atFirstCopy(then: () => void): void {
  s3.pause = async ({ method, key }) => {
    if (method === "GET" && key) then();
  };
}

async function failsThenSucceeds(fail: () => void, mend: () => void): Promise<void> {
  await using folder = createTempFolder();
  const config = { ...t.deps.config, databaseUrl: proxy.url };
  atFirstCopy(fail);
  await expect(backUp(config, folder.path)).rejects.toThrow();
  expect(existsSync(join(folder.path, "manifest.json"))).toBe(false);
  mend();
  s3.pause = async () => {};
  const report = await backUp(config, folder.path);
  expect([report.missing, report.changed]).toEqual([[], []]);
  expect(existsSync(join(folder.path, "manifest.json"))).toBe(true);
}

test("a backup that loses the database ends with an error and is not taken for one; the next one is whole", async () => {
  await failsThenSucceeds(
    () => proxy.cut(),
    () => proxy.mend(),
  );
}, 240_000);

for (const [what, fault] of [
  ["out of reach", "reset"],
  ["refusing our credentials", { status: 403, code: "InvalidAccessKeyId" }],
] as const) {
  test(`a backup whose store is ${what} ends with an error and names no object as missing; the next one is whole`, async () => {
    await failsThenSucceeds(
      () => {
        s3.fault = () => fault;
      },
      () => {
        s3.fault = () => undefined;
      },
    );
  }, 240_000);
}

test.skipIf(process.getuid?.() !== 0)(
  "a backup onto a full disk ends with an error and is not taken for one; the next one is whole",
  async () => {
    await using folder = createTempFolder();
    const mount = (options: string) =>
      Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "none", folder.path]);
    // A machine that lets nobody mount has no small disk.
    if (mount("size=64k").exitCode !== 0) return;
    try {
      const refused = await backUp(t.deps.config, folder.path).catch((error) => error);
      expect(refused).toBeInstanceOf(Error);
      expect(existsSync(join(folder.path, "manifest.json"))).toBe(false);
      expect(mount("remount,size=64m").exitCode).toBe(0);
      const report = await backUp(t.deps.config, folder.path);
      expect([report.missing, report.changed]).toEqual([[], []]);

      // If a manifest can't be read, nothing is removed, and the backup still says that the disk is full.
      const manifest = join(folder.path, "states", report.state, "manifest.json");
      writeFileSync(manifest, readFileSync(manifest, "utf8").slice(0, -4));
      const { blocks, bfree, bsize } = statfsSync(folder.path);
      expect(mount(`remount,size=${(blocks - bfree) * bsize + 16 * 1024}`).exitCode).toBe(0);
      const full = await backUp(t.deps.config, folder.path).catch((error) => error);
      expect(full).toBeInstanceOf(FolderIsUnwritable);
    } finally {
      Bun.spawnSync(["umount", "-l", folder.path]);
    }
  },
  240_000,
);
