import { expect, test } from "bun:test";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createAssetFolder } from "../../scripts/build/asset-folder.ts";
import { writeEmbedModule } from "../../scripts/build/embed-assets.ts";
import { embeddedAssets, serveAsset } from "../../src/server/render/assets.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const { path: folder } = createTempFolder();
const SOURCE = new TextEncoder().encode("export const word = 'exame';\n".repeat(500));

test("the executable answers browsers in brotli, and in gzip over plain HTTP, where they take no brotli", async () => {
  const assets = createAssetFolder({ folder: join(folder, "client"), brotliQuality: 4 });
  await assets.add("app.js", SOURCE, { immutable: true });
  assets.finish();
  const modulePath = join(folder, "embedded.ts");
  writeEmbedModule(join(folder, "client"), modulePath);
  const { manifest, files } = await import(modulePath);
  const asset = embeddedAssets(manifest, files).get("app.js");
  if (!asset) throw new Error("app.js is not embedded");

  const ask = async (coding: string) => {
    const headers = { "accept-encoding": coding };
    const answer = serveAsset(new Request("http://10.0.0.2/app.js", { headers }), asset);
    return [answer.headers.get("content-encoding"), Buffer.from(await answer.bytes())] as const;
  };
  const [[brotli, packed], [gzip, zipped], [plain, bytes]] = await Promise.all([
    ask("gzip, deflate, br, zstd"),
    ask("gzip, deflate"),
    ask("identity"),
  ]);
  expect([brotli, gzip, plain]).toEqual(["br", "gzip", null]);
  for (const read of [brotliDecompressSync(packed), gunzipSync(zipped), bytes])
    expect(read.equals(SOURCE)).toBe(true);
});
