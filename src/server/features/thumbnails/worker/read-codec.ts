import type { CodecFactory, CodecName, CodecParts } from "../../../../shared/pixels/wasm-codec.ts";

type CodecImports = () => Promise<[{ default: CodecFactory }, { default: string }]>;

/** Imported when first needed. The bundler embeds the WASM, so the paths are literals. */
const IMPORTS: Record<CodecName, CodecImports> = {
  jpeg: () =>
    Promise.all([
      import("@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasmjs"),
      import("@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasm", { with: { type: "file" } }),
    ]),
  jpegLs: () =>
    Promise.all([
      import("@cornerstonejs/codec-charls/decodewasmjs"),
      import("@cornerstonejs/codec-charls/decodewasm", { with: { type: "file" } }),
    ]),
  jpeg2000: () =>
    Promise.all([
      import("@cornerstonejs/codec-openjpeg/decodewasmjs"),
      import("@cornerstonejs/codec-openjpeg/decodewasm", { with: { type: "file" } }),
    ]),
  htJpeg2000: () =>
    Promise.all([
      import("@cornerstonejs/codec-openjph/wasmjs"),
      import("@cornerstonejs/codec-openjph/wasm", { with: { type: "file" } }),
    ]),
};

/** Reads a codec from its package, or from the executable. */
export async function readCodec(name: CodecName): Promise<CodecParts> {
  const [{ default: factory }, { default: path }] = await IMPORTS[name]();
  return { factory, wasmBinary: await Bun.file(path).arrayBuffer() };
}
