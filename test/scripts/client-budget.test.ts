import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { ensureBuilt } from "../../scripts/build/ensure-built.ts";
import { folderAssets } from "../../src/server/render/assets.ts";
import { readClientGraph } from "../../src/server/render/client-graph.ts";
import { locales } from "../../src/shared/locale.ts";

const CLIENT = join(import.meta.dir, "../../dist/client");
const LOGIN_PAGE_BYTES = 110_000;
const VISOR_BYTES = 120_000;
const PAGE_FILES = 45;
const BUILD_TIMEOUT_MS = 120_000;

/** The bytes sent to a browser that accepts brotli. */
function sentBytes(url: string): number {
  const path = join(CLIENT, basename(url));
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size;
}

test(
  "the login page loads at most 110 kB of script, in either language",
  async () => {
    ensureBuilt();
    const graph = await readClientGraph(folderAssets(CLIENT));
    for (const locale of locales) {
      const scripts = new Set([graph.entry, ...graph.islands.auth, graph.locales[locale]]);
      const bytes = [...scripts].reduce((sum, url) => sum + sentBytes(url), 0);
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThanOrEqual(LOGIN_PAGE_BYTES);
    }
  },
  BUILD_TIMEOUT_MS,
);

test(
  "our own viewer is at most 120 kB of script, what it shares with its page included, without the codecs",
  async () => {
    ensureBuilt();
    const { visor } = await readClientGraph(folderAssets(CLIENT));
    const bytes = visor.reduce((sum, url) => sum + sentBytes(url), 0);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(VISOR_BYTES);
  },
  BUILD_TIMEOUT_MS,
);

test(
  "no page waits for more than 45 files of script",
  async () => {
    ensureBuilt();
    const { islands } = await readClientGraph(folderAssets(CLIENT));
    const files = Object.entries(islands).map(([page, urls]) => ({ page, count: urls.length }));
    expect(files.filter(({ count }) => count > 0)).toHaveLength(files.length);
    expect(files.filter(({ count }) => count > PAGE_FILES)).toEqual([]);
  },
  BUILD_TIMEOUT_MS,
);
