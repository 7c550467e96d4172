import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { ASSET_SUFFIX, type AssetCoding, type AssetManifest } from "../../src/server/render/assets.ts";

const brotli = promisify(brotliCompress);
const gz = promisify(gzip);

const TYPES: Record<string, string> = {
  bcmap: "application/octet-stream",
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  mjs: "text/javascript; charset=utf-8",
  pfb: "application/octet-stream",
  png: "image/png",
  svg: "image/svg+xml",
  ttf: "font/ttf",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  webp: "image/webp",
  woff2: "font/woff2",
};
const COMPRESSED_ALREADY = new Set(["png", "webp", "woff2"]);

/** Below this size the header that names the coding takes what the coding saves. A page loads some ten chunks of 300–1,000 bytes. */
const MIN_COMPRESSED_BYTES = 300;

export interface AssetFolderOptions {
  folder: string;
  /** 0–11. 9 is quick enough for development, 11 is for a release. */
  brotliQuality: number;
}

export interface AssetUse {
  immutable: boolean;
  /** Few people load it, so it is not worth the best compression. */
  isRare?: boolean;
}

/** 8 % larger than with 11, and made in a tenth of the time. */
const RARE_QUALITY = 9;

/**
 * Writes assets into a folder in the form that `render/assets.ts` serves. A compressed asset has a brotli and a gzip file and no
 * plain one. `manifest.json` is written last: a folder without it is not a build.
 */
export function createAssetFolder({ folder, brotliQuality }: AssetFolderOptions) {
  const manifest: AssetManifest = { version: 1, assets: {} };

  return {
    /** @throws where the extension has no media type in the list above */
    async add(path: string, bytes: Uint8Array, { immutable, isRare = false }: AssetUse): Promise<void> {
      const extension = path.slice(path.lastIndexOf(".") + 1);
      const type = TYPES[extension];
      if (!type) throw new Error(`no media type for asset ${path}`);
      const codings: AssetCoding[] = [];
      if (bytes.length >= MIN_COMPRESSED_BYTES && !COMPRESSED_ALREADY.has(extension))
        codings.push("br", "gzip");

      mkdirSync(dirname(join(folder, path)), { recursive: true });
      if (codings.length === 0) writeFileSync(join(folder, path), bytes);
      for (const coding of codings) {
        writeFileSync(
          join(folder, path + ASSET_SUFFIX[coding]),
          await compress(bytes, coding, isRare ? Math.min(brotliQuality, RARE_QUALITY) : brotliQuality),
        );
      }
      const etag = createHash("sha256").update(bytes).digest("hex").slice(0, 24);
      manifest.assets[path] = { type, etag, immutable, codings, sizeBytes: bytes.length };
    },

    /** Finishes the folder and returns its manifest. */
    finish(): AssetManifest {
      writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest)}\n`);
      return manifest;
    },
  };
}

function compress(bytes: Uint8Array, coding: AssetCoding, brotliQuality: number): Promise<Buffer> {
  if (coding === "gzip") return gz(bytes, { level: brotliQuality >= 11 ? 9 : 6 });
  return brotli(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}
