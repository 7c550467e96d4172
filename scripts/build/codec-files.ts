import type { CodecName } from "../../src/shared/pixels/wasm-codec.ts";
import { type LinkedFile, readLinkedFile } from "./linked-files.ts";

/** Resolved from here, as the workers' imports are. */
const PATHS: Record<CodecName, string> = {
  jpeg: Bun.resolveSync("@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasm", import.meta.dir),
  jpegLs: Bun.resolveSync("@cornerstonejs/codec-charls/decodewasm", import.meta.dir),
  jpeg2000: Bun.resolveSync("@cornerstonejs/codec-openjpeg/decodewasm", import.meta.dir),
  htJpeg2000: Bun.resolveSync("@cornerstonejs/codec-openjph/wasm", import.meta.dir),
};

/** The WebAssembly of each codec. */
export async function readCodecBytes(): Promise<Record<string, Uint8Array>> {
  const entries = Object.entries(PATHS).map(
    async ([name, path]) => [name, await Bun.file(path).bytes()] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

export interface CodecFiles {
  files: LinkedFile[];
  /** Value of `process.env.CODEC_URLS` in the client: an object as JSON, each codec's address. */
  urls: string;
}

/** The WebAssembly of the codecs that the client loads when a syntax needs one. */
export async function readCodecFiles(publicPath: string): Promise<CodecFiles> {
  const entries = await Promise.all(
    Object.entries(PATHS).map(async ([name, path]) => [name, await readLinkedFile(path)] as const),
  );
  const urls = Object.fromEntries(entries.map(([name, file]) => [name, publicPath + file.name]));
  return { files: entries.map(([, file]) => file), urls: JSON.stringify(urls) };
}
