import { readFileHead } from "../read-dicom/zip-entry-head.ts";
import { drawFilm } from "./draw-film.ts";
import type { FilmFile } from "./film-files.ts";
import type { FilmReport } from "./film-messages.ts";

export interface FilmBudget {
  /** Larger files are not read. */
  fileBytes: number;
  /** Limit for all files together. */
  totalBytes: number;
  ms: number;
  now: () => number;
}

/** Enough for twenty slices of a CT; a radiograph or two. */
export const FILM_BUDGET: Omit<FilmBudget, "now"> = {
  fileBytes: 12 * 1024 * 1024,
  totalBytes: 32 * 1024 * 1024,
  ms: 2_500,
};

/** Draws as many frames as the budget allows. The upload has priority over the pictures, which are decoration. */
export async function drawFilms(
  frames: readonly FilmFile[][],
  budget: FilmBudget,
  report: (film: FilmReport) => void,
): Promise<void> {
  const end = budget.now() + budget.ms;
  let left = budget.totalBytes;
  for (const [frame, files] of frames.entries()) {
    for (const film of files) {
      const sizeBytes = film.entry?.storedBytes ?? film.file.size;
      if (sizeBytes > budget.fileBytes) continue;
      if (budget.now() > end || left < sizeBytes) return;
      const bytes = await readIfThere(film, Math.min(budget.fileBytes, left));
      left -= bytes?.length ?? 0;
      const drawn = bytes && drawFilm(bytes);
      if (!drawn) continue;
      report({ frame, film: new Uint8Array(drawn) });
      break;
    }
  }
}

/** Undefined also if the file was changed, moved or deleted: the upload of that file tells the person. */
async function readIfThere(film: FilmFile, maxBytes: number): Promise<Uint8Array | undefined> {
  try {
    return await readFileHead(film, maxBytes);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return undefined;
  }
}
