import { expect, test } from "bun:test";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { BoundedLog } from "../../../src/server/db/embedded/bounded-log.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

test("a log on a full disk leaves lines out, ends no server, and goes on once there is room", async () => {
  await using folder = createTempFolder();
  const path = join(folder.path, "postgres.log");
  symlinkSync("/dev/full", path);
  const log = new BoundedLog(folder.path, "postgres.log");
  log.write(Buffer.from("No space left on device\n"));
  rmSync(path);
  log.write(Buffer.from("ready\n"));
  expect(await Bun.file(path).text()).toBe("ready\n");
});
