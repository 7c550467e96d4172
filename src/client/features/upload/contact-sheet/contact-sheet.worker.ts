import { drawFilms, FILM_BUDGET } from "./draw-films.ts";
import type { FilmReport, FilmRequest } from "./film-messages.ts";

self.addEventListener("message", ({ data: { frames } }: MessageEvent<FilmRequest>) => {
  const budget = { ...FILM_BUDGET, now: () => performance.now() };
  void drawFilms(frames, budget, (report: FilmReport) => self.postMessage(report));
});
