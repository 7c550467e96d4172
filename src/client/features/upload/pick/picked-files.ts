import type { PackableFile } from "../pack-folder/pack-folder.ts";
import { isZipName } from "./upload-rules.ts";

/** The person's choice: one ZIP, or the files of a folder. */
export type Picked =
  | { kind: "zip"; file: File }
  | { kind: "folder"; name: string; files: PackableFile[] }
  | { kind: "refused" };

const MAX_DROPPED_FILES = 200_000;

/** Reads the choice from `<input type=file>`. */
export function pickZip(file: File): Picked {
  return isZipName(file.name) ? { kind: "zip", file } : { kind: "refused" };
}

/**
 * Reads the choice from `<input type=file webkitdirectory>`, which names each file by its path, beginning with the chosen
 * folder.
 */
export function pickFolder(list: FileList): Picked {
  const files = [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  return { kind: "folder", name: files[0]?.path.split("/")[0] ?? "", files };
}

/**
 * Reads one folder or one ZIP from a drop. The browser forgets the entries once the event ends, so this must be called
 * inside its handler.
 */
export function pickDropped(transfer: DataTransfer): Promise<Picked> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const [entry] = entries;
  if (entries.length !== 1 || !entry) return Promise.resolve({ kind: "refused" });
  if (isDirectory(entry)) {
    return readFolder(entry).then((files) => ({ kind: "folder", name: entry.name, files }));
  }
  return readFile(entry as FileSystemFileEntry).then(pickZip);
}

async function readFolder(root: FileSystemDirectoryEntry): Promise<PackableFile[]> {
  const files: PackableFile[] = [];
  const folders = [root];
  for (const folder of folders) {
    for await (const entry of entriesOf(folder)) {
      if (isDirectory(entry)) folders.push(entry);
      else files.push({ path: pathOf(entry), file: await readFile(entry as FileSystemFileEntry) });
      if (files.length + folders.length > MAX_DROPPED_FILES) return files;
    }
  }
  return files;
}

/** A directory is read in batches until an empty one. */
async function* entriesOf(folder: FileSystemDirectoryEntry): AsyncGenerator<FileSystemEntry> {
  const reader = folder.createReader();
  while (true) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (portion.length === 0) return;
    yield* portion;
  }
}

function readFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

function pathOf(entry: FileSystemEntry): string {
  return entry.fullPath.replace(/^\/+/, "");
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
