import { drawFilm } from "../contact-sheet/draw-film.ts";
import { FILM_BUDGET } from "../contact-sheet/draw-films.ts";
import { type FilmFile, FRAMES } from "../contact-sheet/film-files.ts";
import { readFileHead } from "../read-dicom/zip-entry-head.ts";
import type { FilmGreys } from "./contents.ts";

/** Takes a picture and the frame of the contact sheet that it belongs in. */
export type OnFilm = (frame: number, film: FilmGreys) => void;

/** Draws one image for each frame of the contact sheet while files are being read, within the sheet's own budget. */
export class SheetFilms {
  #next = 0;
  #leftBytes = FILM_BUDGET.totalBytes;
  #leftMs = FILM_BUDGET.ms;

  constructor(
    readonly total: number,
    readonly limits: { now: () => number },
    readonly onFilm: OnFilm,
  ) {}

  /** @param index the file's place among all; the first that can be drawn at or after a frame's place is its picture */
  async take(index: number, file: FilmFile): Promise<void> {
    const frame = Math.floor((index * FRAMES) / Math.max(1, this.total));
    const sizeBytes = file.entry?.sizeBytes ?? file.file.size;
    if (frame < this.#next || this.#leftMs <= 0) return;
    if (sizeBytes > Math.min(this.#leftBytes, FILM_BUDGET.fileBytes)) return;
    const startedAt = this.limits.now();
    const bytes = await readFileHead(file, FILM_BUDGET.fileBytes);
    const film = bytes && drawFilm(bytes);
    this.#leftBytes -= bytes?.length ?? 0;
    this.#leftMs -= this.limits.now() - startedAt;
    if (!film) return;
    this.#next = frame + 1;
    this.onFilm(frame, new Uint8Array(film));
  }
}
