import { expect, test } from "bun:test";
import { readRows } from "../../../src/server/features/safekeeping/snapshot.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

test("rows that can't be read end a backup with the reason, and not early", async () => {
  await using folder = createTempFolder();
  await expect(Array.fromAsync(readRows(folder.path))).rejects.toMatchObject({ code: "EISDIR" });
}, 10_000);
