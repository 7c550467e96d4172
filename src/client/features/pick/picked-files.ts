import { isSkippedInFolder } from "../../../shared/rules/skipped-names.ts";

/** A file, and its path in the folder that was chosen. */
export interface PickedFile {
  path: string;
  file: Blob;
}

/** The person's choice: one ZIP, or the files of a folder; loose files were chosen one by one. */
export type Picked =
  | { kind: "zip"; file: File }
  | { kind: "folder"; name: string; files: PickedFile[]; isLoose?: boolean }
  | { kind: "refused" };

const MAX_DROPPED_FILES = 200_000;

/**
 * Reads the choice from `<input type=file>`: one ZIP, or files that are packed like those of a folder. Several ZIPs are
 * refused, since each is an upload of its own.
 */
export function pickFiles(list: Iterable<File>): Picked {
  const files = [...list];
  const [first] = files;
  if (first && files.length === 1 && isZipName(first.name)) return { kind: "zip", file: first };
  if (!first || files.some(({ name }) => isZipName(name))) return { kind: "refused" };
  if (files.every(({ name }) => isSkippedInFolder(name))) return { kind: "refused" };
  return { kind: "folder", name: first.name, files: withOwnPaths(files), isLoose: true };
}

/** Files of several folders may share a name; each gets a path of its own. */
function withOwnPaths(files: readonly File[]): PickedFile[] {
  const taken = new Set<string>();
  return files.slice(0, MAX_DROPPED_FILES).map((file, index) => {
    const path = taken.has(file.name) ? `${index}/${file.name}` : file.name;
    taken.add(path);
    return { path, file };
  });
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
 * Reads one folder, one ZIP or several files from a drop. The browser forgets the entries once the event ends, so this must be called
 * inside its handler.
 */
export function pickDropped(transfer: DataTransfer): Promise<Picked> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const [entry] = entries;
  if (entry && entries.length === 1 && isDirectory(entry)) {
    return readFolder(entry).then((files) => ({ kind: "folder", name: entry.name, files }));
  }
  const files = entries.flatMap((one) => (one && !isDirectory(one) ? [one as FileSystemFileEntry] : []));
  if (files.length !== entries.length) return Promise.resolve({ kind: "refused" });
  return Promise.all(files.slice(0, MAX_DROPPED_FILES).map(readFile)).then(pickFiles);
}

async function readFolder(root: FileSystemDirectoryEntry): Promise<PickedFile[]> {
  const files: PickedFile[] = [];
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

export function isZipName(name: string): boolean {
  return name.toLowerCase().endsWith(".zip");
}
