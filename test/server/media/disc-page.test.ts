import { expect, test } from "bun:test";
import { brotliCompressSync } from "node:zlib";
import { ZipStream } from "../../../src/server/archive/zip-stream.ts";
import { discPageOf } from "../../../src/server/features/media/disc-html.ts";
import { readDiscPage } from "../../../src/server/features/media/disc-page.ts";
import type { Asset } from "../../../src/server/render/assets.ts";

const PAGE_BYTES = 300_000;

test("media that are sent at once share the visor's page, and copy little of it for a slow client", async () => {
  const asset: Asset = {
    ...{ type: "text/html", etag: "1", immutable: true, codings: [], sizeBytes: PAGE_BYTES },
    body: () => new Blob([new Uint8Array(PAGE_BYTES).fill(7)]),
  };
  const assets = { get: () => asset, paths: () => ["app.js", "disc-page-abc.html"] };
  const page = await readDiscPage(assets);
  expect(page).toHaveLength(PAGE_BYTES);
  expect(await readDiscPage(assets)).toBe(page);
  const pieces = [...new ZipStream().file("INDEX.HTM", page)];
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024);
  const shared = pieces.filter(({ buffer }) => buffer === page.buffer);
  expect(shared.reduce((sum, { length }) => sum + length, 0)).toBe(PAGE_BYTES);
});

test("a medium has the visor's page from assets that are kept compressed alone, too", async () => {
  const plain = new Uint8Array(PAGE_BYTES).fill(7);
  const packed = new Blob([brotliCompressSync(plain)]);
  const asset: Asset = {
    ...{ type: "text/html", etag: "1", immutable: true, codings: ["br"], sizeBytes: PAGE_BYTES },
    body: (coding) => (coding === "br" ? packed : undefined),
  };
  const page = await readDiscPage({ get: () => asset, paths: () => ["disc-page-abc.html"] });
  expect(Bun.hash(page)).toBe(Bun.hash(plain));
});

test("the page of a medium allows its own styles and script by a number of its own, and no address", () => {
  const visor = Buffer.from('<style>p{}</style>\n<div id="disc"></div>\n<script>run()</script>\n');
  const pages = [1, 2].map(() => {
    const pieces = discPageOf("Exame", "<p></p>", { discPage: visor, readMe: "README.TXT" });
    expect(pieces.some(({ buffer }) => buffer === visor.buffer)).toBe(true);
    return Buffer.concat(pieces).toString();
  });
  const nonces = pages.map((page) => {
    const [before = "", nonce = ""] = page.split(/script-src 'nonce-([^']+)'/);
    expect(before.match(/<(style|script|img)/g)).toBeNull();
    expect(page.split(/<(?:style|script) nonce="/)).toHaveLength(4);
    expect(page.split(`<style nonce="${nonce}">`)).toHaveLength(3);
    expect(page).toContain(`<script nonce="${nonce}">run()</script>`);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1] ?? "";
    expect(policy).toStartWith("default-src 'none'; ");
    expect(policy).not.toMatch(/https?:|unsafe-inline|'unsafe-eval'|'self'|\*/);
    return nonce;
  });
  expect(new Set(nonces).size).toBe(2);
});
