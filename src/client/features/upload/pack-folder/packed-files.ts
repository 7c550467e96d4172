/**
 * Each packed folder waits as one file in the browser's private file system. Its page holds a lock with the file's name,
 * so a file without a lock was left by a closed page: its upload goes on later, or it is removed.
 */
const FOLDER = "packed-folders";

/** Whether the browser can write such files; some private windows refuse, and then a packed folder is held as a Blob. */
export async function canKeepPackedFiles(): Promise<boolean> {
  if (!("storage" in navigator) || !("locks" in navigator) || typeof FileSystemFileHandle === "undefined") {
    return false;
  }
  if (!("createWritable" in FileSystemFileHandle.prototype)) return false;
  try {
    await openFolder();
    return true;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

export async function openPackedFile(name: string): Promise<FileSystemFileHandle> {
  const folder = await openFolder();
  return folder.getFileHandle(name, { create: true });
}

export async function removePackedFile(name: string): Promise<void> {
  const folder = await openFolder();
  await folder.removeEntry(name);
}

/** Holds the file's lock until the returned function is called. */
export function holdPackedFile(name: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  // A page that is on its way out gets no lock, and packs nothing any more.
  navigator.locks.request(lockOf(name), () => promise).catch(() => undefined);
  return resolve;
}

/** Removes the files that closed pages left behind, except `kept`. What the browser holds on to, a later page removes. */
export async function removeAbandonedFiles(kept: ReadonlySet<string>): Promise<void> {
  if (!(await canKeepPackedFiles())) return;
  try {
    const folder = await openFolder();
    for await (const name of folder.keys()) if (!kept.has(name)) await removeIfAbandoned(folder, name);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

async function removeIfAbandoned(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  await navigator.locks.request(lockOf(name), { ifAvailable: true }, async (lock) => {
    try {
      if (lock) await folder.removeEntry(name);
    } catch (error) {
      // Another page was quicker, or a worker that was just ended still holds the file.
      if (!(error instanceof DOMException)) throw error;
    }
  });
}

function lockOf(name: string): string {
  return `${FOLDER}/${name}`;
}

async function openFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(FOLDER, { create: true });
}
