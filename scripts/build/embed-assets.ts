import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ASSET_SUFFIX, type AssetEntry, type AssetManifest } from "../../src/server/render/assets.ts";

/**
 * Writes a module that embeds an asset folder in the compiled executable. It exports `manifest` and `files`, the two arguments of
 * `embeddedAssets`. A compressed asset is embedded in brotli only, which makes the executable 6 MB smaller; `serveAsset` inflates
 * it for the rare client that does not accept brotli.
 */
export function writeEmbedModule(assetFolder: string, modulePath: string): void {
  const built = JSON.parse(readFileSync(join(assetFolder, "manifest.json"), "utf8")) as AssetManifest;
  const manifest: AssetManifest = { ...built, assets: mapValues(built.assets, onlyBrotli) };
  const storedNames = Object.entries(manifest.assets).map(
    ([path, { codings }]) => path + ASSET_SUFFIX[codings[0] ?? "identity"],
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

function onlyBrotli(entry: AssetEntry): AssetEntry {
  return { ...entry, codings: entry.codings.filter((coding) => coding === "br") };
}

function mapValues<Value>(
  record: Record<string, Value>,
  map: (value: Value) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
