import type { ZipEntry } from "../../../../shared/zip/zip-entry.ts";

/** A file whose picture may be shown while it goes up: of a folder, or an entry of a ZIP. */
export interface FilmFile {
  file: Blob;
  entry?: ZipEntry;
}

export const FRAMES = 20;
/** A file that has no picture leaves its frame to the next one. */
const TRIES = 3;

/** Files for each frame of the contact sheet, from the first to the last of all; no file is in two frames. */
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
