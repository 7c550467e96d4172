import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  installedBinaries,
  type PostgresBinaries,
  requiredFiles,
} from "../../src/server/db/embedded/binaries.ts";

const ARCHIVE = "postgres.tar.zst";
const RELEASE_LEVEL = 19;

export interface PackOptions {
  /** Of zstd: 19 for a release, lower is faster. */
  level?: number;
  /** By default, those that npm installed for this machine. */
  binaries?: PostgresBinaries;
}

/**
 * Packs PostgreSQL, without the parts that we do not use, as `postgres.tar.zst` for the executable. Writes the module
 * `postgres.gen.ts` beside it, which embeds the archive and exports it as `postgresBinaries`.
 */
export async function packPostgres(folder: string, options: PackOptions = {}): Promise<PostgresBinaries> {
  const { level = RELEASE_LEVEL, binaries } = options;
  const { path, version } = binaries ?? (await installedBinaries());
  const files: Record<string, Uint8Array> = {};
  for (const [name, source] of [...(await requiredFiles(path))].sort()) {
    files[name] = await Bun.file(source).bytes();
  }
  const tar = await new Bun.Archive(files).bytes();
  await mkdir(folder, { recursive: true });
  const archive = join(folder, ARCHIVE);
  await Bun.write(archive, await Bun.zstdCompress(tar, { level }));
  await Bun.write(join(folder, "postgres.gen.ts"), moduleText(version));
  return { kind: "archive", path: archive, version };
}

function moduleText(version: string): string {
  return `import path from "./${ARCHIVE}" with { type: "file" };
export const postgresBinaries = { kind: "archive", path, version: ${JSON.stringify(version)} } as const;
`;
}

if (import.meta.main) {
  const packed = await packPostgres(join(import.meta.dir, "../../dist"));
  console.log(`${packed.path}: PostgreSQL ${packed.version}, ${Bun.file(packed.path).size} bytes`);
}
