import { expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { holdFolder } from "../../../src/server/features/safekeeping/backup/hold-folder.ts";
import { FolderIsBusy } from "../../../src/server/features/safekeeping/safekeeping.errors.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

test("of many backups that find what a killed one left, at most one takes the folder over", async () => {
  await using folder = createTempFolder();
  const running = join(folder.path, "running");
  const child = Bun.spawn(["true"]);
  await child.exited;
  let taken = 0;
  for (let round = 0; round < 50; round++) {
    writeFileSync(running, `process ${child.pid} on ${hostname()}`);
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => holdFolder(folder.path)));
    const holds = tries.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(holds.length).toBeLessThanOrEqual(1);
    taken += holds.length;
    for (const hold of holds) await hold[Symbol.asyncDispose]();
    if (holds.length > 0) expect(existsSync(running)).toBe(false);
  }
  expect(taken).toBeGreaterThan(0);
  expect(readdirSync(folder.path).filter((name) => name !== "running")).toEqual([]);
});

test("what an earlier process left is taken over, though this one has its number, as in a container that was started again", async () => {
  await using folder = createTempFolder();
  const own = `process ${process.pid} on ${hostname()}`;
  for (const left of [`${own}, run ${Bun.randomUUIDv7()}`, own]) {
    writeFileSync(join(folder.path, "running"), left);
    const hold = await holdFolder(folder.path);
    await expect(holdFolder(folder.path)).rejects.toThrow(FolderIsBusy);
    await hold[Symbol.asyncDispose]();
  }
});

test("a folder that a process was killed while taking over is taken over as well", async () => {
  await using folder = createTempFolder();
  const child = Bun.spawn(["true"]);
  await child.exited;
  const dead = `process ${child.pid} on ${hostname()}`;
  for (const name of ["running", "running.next", "running.next.next"])
    writeFileSync(join(folder.path, name), dead);
  const hold = await holdFolder(folder.path);
  expect(readdirSync(folder.path)).toEqual(["running"]);
  await hold[Symbol.asyncDispose]();
  expect(readdirSync(folder.path)).toEqual([]);
});
