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

/** The most files of one folder. Its readers refuse a folder with more. */
export const MAX_PICKED_FILES = 200_000;

/** Reads the choice from `<input type=file>`: one ZIP, or files that are packed like those of a folder. Several ZIPs are refused. */
export function pickFiles(list: Iterable<File>): Picked {
  return onlyOf(pickSources(list));
}

/** The same where several may be chosen at once: each ZIP by itself, and all loose files together. */
export function pickSources(list: Iterable<File>): Picked[] {
  const files = [...list];
  const loose = files.filter(({ name }) => !isZipName(name));
  const [first] = loose;
  const zips = files.flatMap((file) => (isZipName(file.name) ? [{ kind: "zip" as const, file }] : []));
  if (!first) return zips;
  if (loose.every(({ name }) => isSkippedInFolder(name))) return [...zips, { kind: "refused" }];
  return [...zips, { kind: "folder", name: first.name, files: withOwnPaths(loose), isLoose: true }];
}

/** The only choice; several are refused where one upload is meant. */
function onlyOf([only, another]: Picked[]): Picked {
  return only && !another ? only : { kind: "refused" };
}

/** Files of several folders may share a name; each gets a path of its own. */
function withOwnPaths(files: readonly File[]): PickedFile[] {
  const taken = new Set<string>();
  return files.slice(0, MAX_PICKED_FILES + 1).map((file, index) => {
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

/** Reads one folder, one ZIP or several files from a drop. It must be called inside the drop's handler. */
export async function pickDropped(transfer: DataTransfer): Promise<Picked> {
  return onlyOf(await pickDroppedSources(transfer));
}

/**
 * The same where several may be dropped at once. The browser forgets the entries once the event ends, so this must be called inside
 * its handler.
 */
export async function pickDroppedSources(transfer: DataTransfer): Promise<Picked[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const folders = entries.flatMap((entry) => (entry && isDirectory(entry) ? [pickedFolder(entry)] : []));
  const files = entries.flatMap((entry) =>
    entry && !isDirectory(entry) ? [entry as FileSystemFileEntry] : [],
  );
  const loose = Promise.all(files.slice(0, MAX_PICKED_FILES + 1).map(readFile));
  const [ofFolders, ofFiles] = await Promise.all([Promise.all(folders), loose]);
  const strange = entries.length > folders.length + files.length ? [{ kind: "refused" as const }] : [];
  return [...pickSources(ofFiles), ...ofFolders, ...strange];
}

async function pickedFolder(entry: FileSystemDirectoryEntry): Promise<Picked> {
  return { kind: "folder", name: entry.name, files: await readFolder(entry) };
}

async function readFolder(root: FileSystemDirectoryEntry): Promise<PickedFile[]> {
  const files: PickedFile[] = [];
  const folders = [root];
  for (const folder of folders) {
    for await (const entry of entriesOf(folder)) {
      if (isDirectory(entry)) folders.push(entry);
      else files.push({ path: pathOf(entry), file: await readFile(entry as FileSystemFileEntry) });
      if (files.length > MAX_PICKED_FILES || folders.length > MAX_PICKED_FILES) return files;
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
