import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ASSET_SUFFIX, type AssetManifest } from "../../src/server/render/assets.ts";

/**
 * Writes a module that embeds an asset folder in the compiled executable. It exports `manifest` and `files`, the two arguments of
 * `embeddedAssets`. Compressed assets are in it in both codings: browsers take no brotli over plain HTTP, as in a clinic's own network.
 */
export function writeEmbedModule(assetFolder: string, modulePath: string): void {
  const manifest = JSON.parse(readFileSync(join(assetFolder, "manifest.json"), "utf8")) as AssetManifest;
  const storedNames = Object.entries(manifest.assets).flatMap(([path, { codings }]) =>
    (codings.length > 0 ? codings : (["identity"] as const)).map((coding) => path + ASSET_SUFFIX[coding]),
  );
  const fromModule = relative(join(modulePath, ".."), assetFolder);
  const specifier = (name: string) => JSON.stringify(`./${join(fromModule, name)}`);
  const source = [
    ...storedNames.map((name, n) => `import f${n} from ${specifier(name)} with { type: "file" };`),
    `export const manifest = ${JSON.stringify(manifest)};`,
    `export const files = {${storedNames.map((name, n) => `${JSON.stringify(name)}: f${n}`).join(", ")}};`,
  ];
  writeFileSync(modulePath, `${source.join("\n")}\n`);
}
