import type { ZipEntry } from "../../../../shared/zip/zip-entry.ts";

/** A file whose picture may be shown during its upload: a file of a folder, or an entry of a ZIP. */
export interface FilmFile {
  file: Blob;
  entry?: ZipEntry;
}

export const FRAMES = 20;
/** If a file has no picture, the next file takes its frame. */
const TRIES = 3;

/** The files for each frame of the contact sheet, spread from the first file to the last; each file is in at most one frame. */
export function spreadOverFrames<File>(files: readonly File[]): File[][] {
  const frames = Array.from({ length: FRAMES }, (): File[] => []);
  if (files.length < FRAMES) {
    for (const [index, file] of files.entries())
      frames[Math.floor((index * FRAMES) / files.length)]?.push(file);
    return frames;
  }
  const firstOf = (frame: number) => Math.floor((frame * files.length) / FRAMES);
  return frames.map((_, frame) =>
    files.slice(firstOf(frame), Math.min(firstOf(frame) + TRIES, firstOf(frame + 1))),
  );
}
