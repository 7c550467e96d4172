import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { applyPatches, isLeftOut } from "./viewer-patches.ts";

const OHIF = resolve(import.meta.dir, "../../node_modules/@ohif/app/dist");

/** How the bundler's comments name a module's package; of nested ones the innermost. */
const MODULE_PATH = /node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\/(?!node_modules\/)/g;

/** Compiled to WebAssembly beside the bundle, which names them nowhere. */
const CODECS = ["charls", "libjpeg-turbo-8bit", "openjpeg", "openjph"].map(
  (name) => `@cornerstonejs/codec-${name}`,
);

/** The npm packages whose code is in the viewer as we serve it. */
export function packagesInViewer(): Set<string> {
  const names = new Set(CODECS);
  for (const path of readdirSync(OHIF, { recursive: true, encoding: "utf8" })) {
    if (isLeftOut(path) || !/\.(js|css)$/.test(path)) continue;
    const source = applyPatches(path, readFileSync(join(OHIF, path), "utf8"), "/viewer/");
    for (const [, name = ""] of source.matchAll(MODULE_PATH)) names.add(name);
  }
  return names;
}
