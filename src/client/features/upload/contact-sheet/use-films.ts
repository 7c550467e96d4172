import { useEffect, useState } from "react";
import type { FilmFile } from "./film-files.ts";
import type { FilmReport, FilmRequest } from "./film-messages.ts";

export type Films = ReadonlyMap<number, FilmReport["film"]>;

/** Twice the worker's own budget, so that a file that keeps the worker busy is not waited for. */
const MAX_MS = 5_000;

/** Small pictures for the frames of the contact sheet, which a worker draws one by one; a frame may stay without a picture. */
export function useFilms(frames: FilmFile[][] | undefined): Films {
  const [films, setFilms] = useState<Films>(new Map());
  useEffect(() => {
    setFilms(new Map());
    if (!frames) return;
    const worker = new Worker(new URL("./contact-sheet.worker.ts", import.meta.url), { type: "module" });
    const stop = setTimeout(() => worker.terminate(), MAX_MS);
    worker.onmessage = ({ data: { frame, film } }: MessageEvent<FilmReport>) => {
      setFilms((drawn) => new Map(drawn).set(frame, film));
    };
    worker.postMessage({ frames } satisfies FilmRequest);
    return () => {
      clearTimeout(stop);
      worker.terminate();
    };
  }, [frames]);
  return films;
}
