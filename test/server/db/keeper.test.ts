import { expect, test } from "bun:test";
import { isKept, showKeeper } from "../../../src/server/db/embedded/keeper.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const keeperModule = Bun.resolveSync("../../../src/server/db/embedded/keeper.ts", import.meta.dir);

test("other processes see who keeps a database, until that one ends by whatever", async () => {
  await using folder = createTempFolder();
  const script = `const { showKeeper } = await import(${JSON.stringify(keeperModule)});
    globalThis.keeper = await showKeeper(${JSON.stringify(folder.path)});
    console.log("shown");
    setInterval(() => {}, 1_000);`;
  await using other = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  await other.stdout.getReader().read();
  for (let time = 0; time < 20; time++) expect(await isKept(folder.path)).toBe(true);
  other.kill("SIGKILL");
  await other.exited;
  expect(await isKept(folder.path)).toBe(false);
  const own = await showKeeper(folder.path);
  expect(await isKept(folder.path)).toBe(true);
  await own[Symbol.asyncDispose]();
  expect(await isKept(folder.path)).toBe(false);
});
