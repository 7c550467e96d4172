import type { FilmFile } from "../contact-sheet/film-files.ts";
import { findMetadata } from "../read-dicom/find-metadata.ts";
import { readFileHead } from "../read-dicom/zip-entry-head.ts";
import type { Insight } from "./look-messages.ts";
import { CONTENT_LIMITS, readContents } from "./read-contents.ts";
import type { OnFilm } from "./sheet-films.ts";

/**
 * The first instance's metadata, and what the files hold.
 * @throws {DOMException} if the files are gone
 */
export async function lookInside(
  files: readonly FilmFile[],
  onRead: (files: number, studies: number) => void,
  onFilm?: OnFilm,
): Promise<Insight> {
  const candidates = files.map((file) => ({
    readHead(maxBytes: number) {
      // The search may pass over thousands of other files first; it is not silent meanwhile.
      onRead(0, 0);
      return readFileHead(file, maxBytes);
    },
  }));
  const found = await findMetadata(candidates, new AbortController().signal);
  const limits = { ...CONTENT_LIMITS, now: () => performance.now() };
  const contents = await readContents(found.kind === "none" ? [] : files, limits, onRead, onFilm);
  return { found, contents };
}
