import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { buildClient } from "../../scripts/build/client.ts";
import { ensureBuilt } from "../../scripts/build/ensure-built.ts";
import { locales } from "../../src/shared/locale.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const LOGIN_PAGE_BYTES = 110_000;
const BUILD_TIMEOUT_MS = 120_000;

/** What a browser that knows brotli is sent. */
function sentBytes(folder: string, url: string): number {
  const path = join(folder, basename(url));
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size;
}

test(
  "the login page loads at most 110 kB of script, in either language",
  async () => {
    ensureBuilt();
    await using folder = createTempFolder();
    const client = join(folder.path, "client");
    const graph = await buildClient({ folder: client, release: true });
    for (const locale of locales) {
      const scripts = new Set([graph.entry, ...graph.islands.auth, graph.locales[locale]]);
      const bytes = [...scripts].reduce((sum, url) => sum + sentBytes(client, url), 0);
      expect(bytes).toBeLessThanOrEqual(LOGIN_PAGE_BYTES);
    }
  },
  BUILD_TIMEOUT_MS,
);
