import type { FilmFile } from "../contact-sheet/film-files.ts";
import type { Insight, LookReport, LookRequest } from "./look-messages.ts";
import type { OnFilm } from "./sheet-films.ts";

/** The worker is ended after this long without a word: a file keeps it busy. */
const SILENCE_MS = 15_000;

const NOTHING: Insight = {
  found: { kind: "unsure" },
  contents: { studies: [], isComplete: false, unplaced: [] },
};

export interface LookOptions {
  onRead: (files: number, studies: number) => void;
  /** Takes a picture of what is being read, for a frame of the contact sheet. */
  onFilm?: OnFilm;
  signal: AbortSignal;
}

/**
 * Looks inside in a worker, so that no file can hang the page. A worker that says nothing any more has found nothing.
 * @throws {DOMException} if the files are gone; the signal's reason when aborted
 */
export async function lookInWorker(
  files: FilmFile[],
  { onRead, onFilm, signal }: LookOptions,
): Promise<Insight> {
  signal.throwIfAborted();
  const worker = new Worker(new URL("./look-inside.worker.ts", import.meta.url), { type: "module" });
  const { promise, resolve, reject } = Promise.withResolvers<Insight>();
  const giveUp = () => resolve(NOTHING);
  let silence = setTimeout(giveUp, SILENCE_MS);
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  worker.onerror = giveUp;
  worker.onmessage = ({ data }: MessageEvent<LookReport>) => {
    clearTimeout(silence);
    silence = setTimeout(giveUp, SILENCE_MS);
    if (data.type === "read") onRead(data.files, data.studies);
    else if (data.type === "film") onFilm?.(data.frame, data.film);
    else if (data.type === "done") resolve(data.insight);
    else reject(data.name === "Error" ? new Error(data.message) : new DOMException(data.message, data.name));
  };
  worker.postMessage({ files } satisfies LookRequest);
  try {
    return await promise;
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", abort);
    worker.terminate();
  }
}
