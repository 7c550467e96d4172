import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assertMayShip } from "../../scripts/build/license-rules.ts";
import { writeNotices } from "../../scripts/build/notices.ts";
import { packagesInViewer } from "../../scripts/build/viewer-packages.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const TIMEOUT_MS = 120_000;
const LGPL = readFileSync(join(import.meta.dir, "../../scripts/build/licenses/lgpl-2.1.txt"), "utf8");

test(
  "anyone with the program can read the licence of each work in it",
  async () => {
    await using folder = createTempFolder();
    const path = join(folder.path, "notices.txt");
    await writeNotices(path);
    const text = await Bun.file(path).text();
    for (const work of [
      "hono ",
      "react ",
      "@ohif/app ",
      "@cornerstonejs/core (in the viewer)",
      "dcmjs ",
      "PostgreSQL 18",
      "OpenSSL 1.1",
      "instrument-sans (font)",
      `Bun ${Bun.version}`,
    ]) {
      expect([work, text.includes(`\n${work}`)]).toEqual([work, true]);
    }
  },
  TIMEOUT_MS,
);

test(
  "nothing of the viewer's AGPL tours is served",
  () => {
    const packages = packagesInViewer();
    expect(packages.has("@cornerstonejs/tools")).toBe(true);
    expect(packages.has("shepherd.js")).toBe(false);
  },
  TIMEOUT_MS,
);

test("a build with a copyleft licence, an unknown one or none is refused", () => {
  const ship =
    (license: string, text = "Permission is hereby granted") =>
    () =>
      assertMayShip({ packages: ["it"], license, text });
  for (const license of ["MIT", "(MIT OR GPL-3.0)", "MIT AND Zlib", "(WTFPL OR MIT)"]) {
    expect(ship(license)).not.toThrow();
  }
  for (const license of [
    "GPL-3.0-only",
    "AGPL-3.0",
    "LGPL-2.1",
    "SSPL-1.0",
    "MIT AND GPL-2.0",
    "UNLICENSED",
    "",
  ]) {
    expect(ship(license)).toThrow("may not ship");
  }
  expect(ship("MIT", LGPL)).toThrow("copyleft text");
  expect(ship("MIT", " ")).toThrow("no licence text");
});
