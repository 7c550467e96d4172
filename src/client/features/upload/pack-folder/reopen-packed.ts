import { holdPackedFile, openPackedFile, removePackedFile } from "./packed-files.ts";
import type { PackedFolder } from "./packed-folder.ts";

/** The file that an earlier page packed, if the browser still has it whole. */
export async function reopenPacked(name: string, sizeBytes: number): Promise<PackedFolder | undefined> {
  try {
    const zip = await (await openPackedFile(name)).getFile();
    if (zip.size !== sizeBytes) return undefined;
    const release = holdPackedFile(name);
    const dispose = async () => {
      await removePackedFile(name).catch(() => {}); // swept at a later start
      release();
    };
    return { zip, dispose };
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}
