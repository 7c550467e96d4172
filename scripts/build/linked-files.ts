import { basename, dirname, extname, resolve } from "node:path";
import type { BunPlugin } from "bun";

export interface LinkedFile {
  /** Changes with the content. */
  name: string;
  bytes: Uint8Array;
}

/**
 * Keeps fonts and pictures that style sheets name as separate files under `publicPath`; the bundler would inline them as data:
 * addresses. After bundling, `files` holds those that it found.
 */
export function linkedFiles(publicPath: string): { plugin: BunPlugin; files: Map<string, LinkedFile> } {
  const files = new Map<string, LinkedFile>();
  const plugin: BunPlugin = {
    name: "linked-files",
    setup(build) {
      build.onResolve({ filter: /\.(woff2|webp|svg)$/ }, async ({ path, importer }) => {
        const source = resolve(dirname(importer), path);
        const file = files.get(source) ?? (await readLinkedFile(source));
        files.set(source, file);
        return { path: publicPath + file.name, external: true };
      });
    },
  };
  return { plugin, files };
}

export async function readLinkedFile(path: string): Promise<LinkedFile> {
  const bytes = await Bun.file(path).bytes();
  const extension = extname(path);
  return { name: `${basename(path, extension)}-${Bun.hash(bytes).toString(36)}${extension}`, bytes };
}
