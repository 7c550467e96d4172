import { type ZipOptions, zipSync } from "fflate";

/** A ZIP as a person picks it. */
export function zipFile(
  entries: Record<string, Uint8Array>,
  options: { name?: string; level?: ZipOptions["level"] } = {},
): File {
  const bytes = zipSync(entries, { level: options.level ?? 6 });
  return new File([bytes as Uint8Array<ArrayBuffer>], options.name ?? "exame.zip");
}

/** The files of a folder, by path. */
export function folderFiles(entries: Record<string, Uint8Array | string>) {
  return Object.entries(entries).map(([path, content]) => ({
    path,
    file: new Blob([content as BlobPart]),
  }));
}
