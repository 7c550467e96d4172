import { expect, test } from "bun:test";
import { join } from "node:path";
import { transform } from "esbuild";
import { ensureBuilt } from "../../scripts/build/ensure-built.ts";
import { type Asset, folderAssets, readAsset } from "../../src/server/render/assets.ts";

const CLIENT = join(import.meta.dir, "../../dist/client");
const BUILD_TIMEOUT_MS = 240_000;

/** What of a script Safari 16.4 can't read; such a file is lost as a whole, whether that line runs or not. */
async function unreadableIn(script: string): Promise<string[]> {
  const { warnings } = await transform(script, {
    target: "safari16.4",
    logLevel: "silent",
    logOverride: { "unsupported-regexp": "warning" },
  });
  // It can read `\p{…}`, of which esbuild also warns.
  return warnings.map(({ text }) => text).filter((text) => !text.startsWith("Unicode property escapes"));
}

test("a newer kind of regular expression is found", async () => {
  expect(await unreadableIn("/\\p{L}/u; /[\\S--x]/v")).toEqual([expect.stringContaining('flag "v"')]);
});

test(
  "every file of script can be read by Safari 16.4",
  async () => {
    ensureBuilt();
    const assets = folderAssets(CLIENT);
    const scripts = assets.paths().filter((path) => /\.m?js$/.test(path));
    expect(scripts.length).toBeGreaterThan(20);
    const unreadable: string[] = [];
    for (const path of scripts) {
      const script = new TextDecoder().decode(await readAsset(assets.get(path) as Asset));
      for (const text of await unreadableIn(script)) unreadable.push(`${path}: ${text}`);
    }
    expect(unreadable).toEqual([]);
  },
  BUILD_TIMEOUT_MS,
);
