import { readFileSync } from "node:fs";
import { join } from "node:path";
import { negotiateCoding } from "../http/content-coding.ts";
import { isKnownVersion } from "../http/known-version.ts";

export type AssetCoding = "br" | "gzip";

/** What a build records about one asset; `scripts/build/asset-folder.ts` writes it. */
export interface AssetEntry {
  /** Media type, with charset if it is text. */
  type: string;
  /** Hex digest of the content, without quotes. */
  etag: string;
  /** Whether the path changes with the content, so that browsers may cache it permanently. */
  immutable: boolean;
  /** The codings in which it is stored. Empty: only uncompressed, because compression saves nothing. */
  codings: AssetCoding[];
  /** Bytes of the uncompressed content. */
  sizeBytes: number;
}

/** `manifest.json` of an asset folder. Keys are paths relative to the folder, with `/`. */
export interface AssetManifest {
  version: 1;
  assets: Record<string, AssetEntry>;
}

export interface Asset extends AssetEntry {
  /** The stored body in that coding; `undefined` if it is not stored in it. */
  body(coding: AssetCoding | "identity"): Blob | undefined;
}

/** The source of built assets: a folder, or the executable itself. Only listed paths exist. */
export interface AssetSource {
  get(path: string): Asset | undefined;
  paths(): string[];
}

export const ASSET_SUFFIX: Record<AssetCoding | "identity", string> = {
  br: ".br",
  gzip: ".gz",
  identity: "",
};

/** @throws if the folder has no readable `manifest.json` (it was not built) */
export function folderAssets(folder: string): AssetSource {
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as AssetManifest;
  return manifestAssets(manifest, (name) => join(folder, name));
}

/**
 * Assets inside the compiled executable. `files` maps a stored name (`app.js.br`) to what
 * `import … with { type: "file" }` gave; `scripts/build/embed-assets.ts` generates the module.
 */
export function embeddedAssets(manifest: AssetManifest, files: Record<string, string>): AssetSource {
  return manifestAssets(manifest, (name) => (Object.hasOwn(files, name) ? files[name] : undefined));
}

function manifestAssets(
  manifest: AssetManifest,
  locate: (storedName: string) => string | undefined,
): AssetSource {
  const assets = new Map<string, Asset>();
  for (const [path, entry] of Object.entries(manifest.assets)) {
    const stored: readonly string[] = entry.codings.length > 0 ? entry.codings : ["identity"];
    assets.set(path, {
      ...entry,
      body(coding) {
        if (!stored.includes(coding)) return undefined;
        const location = locate(path + ASSET_SUFFIX[coding]);
        return location === undefined ? undefined : Bun.file(location);
      },
    });
  }
  return { get: (path) => assets.get(path), paths: () => [...assets.keys()] };
}

/** The content without a coding, whatever it is stored in. */
export async function readAsset(asset: Asset): Promise<Uint8Array> {
  return await new Response(storedBody(asset, "identity")).bytes();
}

/**
 * Answers GET or HEAD with the asset in the best coding that the client accepts: `ETag` (304 when it matches), `Vary`,
 * and a year of caching for immutable assets. `headers` are added unchanged.
 */
export function serveAsset(request: Request, asset: Asset, headers: Record<string, string> = {}): Response {
  const coding = negotiateCoding(request.headers.get("accept-encoding"), asset.codings);
  const etag = `"${asset.etag}${coding === "identity" ? "" : `-${coding}`}"`;
  const answer = new Headers({
    "Content-Type": asset.type,
    "Cache-Control": asset.immutable ? "public, max-age=31536000, immutable" : "no-cache",
    ETag: etag,
    Vary: "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
    ...headers,
  });
  if (isKnownVersion(request.headers.get("if-none-match"), etag)) {
    return new Response(null, { status: 304, headers: answer });
  }
  if (coding !== "identity") answer.set("Content-Encoding", coding);
  return new Response(request.method === "HEAD" ? null : storedBody(asset, coding), { headers: answer });
}

/** Compressed assets are not stored uncompressed too: the rare client that accepts neither br nor gzip gets them inflated. */
function storedBody(asset: Asset, coding: AssetCoding | "identity"): BodyInit {
  const stored = asset.body(coding);
  if (stored) return stored;
  const inflatable = coding === "identity" ? asset.codings.at(-1) : undefined;
  const compressed = inflatable && asset.body(inflatable);
  if (!compressed) throw new Error("an asset named in the manifest is missing from the build");
  // Bun supports brotli here; its types do not declare it yet.
  const format = (inflatable === "br" ? "brotli" : inflatable) as CompressionFormat;
  return compressed.stream().pipeThrough(new DecompressionStream(format));
}
