import type { FilmFile } from "./film-files.ts";

export interface FilmRequest {
  frames: FilmFile[][];
}

/** The picture of a frame, as `drawFilm` makes it. */
export interface FilmReport {
  frame: number;
  film: Uint8Array<ArrayBuffer>;
}
