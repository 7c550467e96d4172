import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ASSET_SUFFIX, type AssetManifest } from "../../src/server/render/assets.ts";

/**
 * Writes a module that carries an asset folder into the compiled executable. It exports `manifest` and `files`,
 * the two arguments of `embeddedAssets`.
 */
export function writeEmbedModule(assetFolder: string, modulePath: string): void {
  const manifest = JSON.parse(readFileSync(join(assetFolder, "manifest.json"), "utf8")) as AssetManifest;
  const storedNames = Object.entries(manifest.assets).flatMap(([path, { codings }]) =>
    codings.length > 0 ? codings.map((coding) => path + ASSET_SUFFIX[coding]) : [path],
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
