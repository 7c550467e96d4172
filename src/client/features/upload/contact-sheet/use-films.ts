import { useEffect, useState } from "react";
import type { FilmFile } from "./film-files.ts";
import type { FilmReport, FilmRequest } from "./film-messages.ts";

export type Films = ReadonlyMap<number, FilmReport["film"]>;

/** Twice the worker's own budget, so that a file that keeps the worker busy is not waited for. */
const MAX_MS = 5_000;

/** What was drawn of the upload with these frames: its sheet is shown again while it is sent, and at each return to the view. */
const drawnFilms = new WeakMap<FilmFile[][], Films>();

const NONE: Films = new Map();
const drawnOf = (frames: FilmFile[][] | undefined) => (frames && drawnFilms.get(frames)) ?? NONE;

/** Small pictures for the frames of the contact sheet, which a worker draws one by one; a frame may stay without a picture. */
export function useFilms(frames: FilmFile[][] | undefined): Films {
  const [films, setFilms] = useState(() => drawnOf(frames));
  useEffect(() => {
    const drawn = drawnOf(frames);
    setFilms(drawn);
    if (!frames || frames.every((files, frame) => files.length === 0 || drawn.has(frame))) return;
    const worker = new Worker(new URL("./contact-sheet.worker.ts", import.meta.url), { type: "module" });
    const stop = setTimeout(() => worker.terminate(), MAX_MS);
    worker.onmessage = ({ data: { frame, film } }: MessageEvent<FilmReport>) => {
      const more = new Map(drawnOf(frames)).set(frame, film);
      drawnFilms.set(frames, more);
      setFilms(more);
    };
    const left = frames.map((files, frame) => (drawn.has(frame) ? [] : files));
    worker.postMessage({ frames: left } satisfies FilmRequest);
    return () => {
      clearTimeout(stop);
      worker.terminate();
    };
  }, [frames]);
  return films;
}
