import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOrCreate } from "../../../src/server/nodes/node.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

test("processes that begin a DATA_DIR at once agree on its secrets and its node-id", async () => {
  await using folder = createTempFolder();
  const path = join(folder.path, "node-id");
  const read = await Promise.all([1, 2, 3, 4].map((n) => readOrCreate(path, () => `id ${n}`)));
  expect(new Set(read)).toEqual(new Set([readFileSync(path, "utf8").trim()]));
  expect(readdirSync(folder.path)).toEqual(["node-id"]);
});

test("a secret of which a crash left an empty file is made anew", async () => {
  await using folder = createTempFolder();
  const path = join(folder.path, "auth-secret");
  writeFileSync(path, "\n");
  expect(await readOrCreate(path, () => "new")).toBe("new");
  expect(await readOrCreate(path, () => "newer")).toBe("new");
});
