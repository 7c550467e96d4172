import { isPageOutdated, PageOutdated } from "../../../runtime/page-outdated.ts";
import type { FilmFile } from "../contact-sheet/film-files.ts";
import { backOffMs, waitOrOnline } from "../send/back-off.ts";
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
  /** The code that reads could not be loaded yet, as without a connection. The next report of what was read says that it was. */
  onWaiting?: () => void;
  /** Takes a picture of what is being read, for a frame of the contact sheet. */
  onFilm?: OnFilm;
  signal: AbortSignal;
  start?: () => Worker;
}

const startWorker = () => new Worker(new URL("./look-inside.worker.ts", import.meta.url), { type: "module" });

/**
 * Looks inside in a worker, so that no file can hang the page. A worker that says nothing any more has found nothing; one that can't
 * be loaded is waited for.
 * @throws {PageOutdated} if a newer release has replaced its code
 * @throws {DOMException} if the files are gone; the signal's reason when aborted
 */
export async function lookInWorker(files: FilmFile[], options: LookOptions): Promise<Insight> {
  const { onWaiting, signal } = options;
  for (let failures = 1; ; failures++) {
    const insight = await lookOnce(files, options);
    if (insight !== "not_loaded") return insight;
    if (await isPageOutdated()) throw new PageOutdated();
    signal.throwIfAborted();
    onWaiting?.();
    await waitOrOnline(backOffMs(failures), signal);
  }
}

async function lookOnce(
  files: FilmFile[],
  { onRead, onWaiting, onFilm, signal, start = startWorker }: LookOptions,
): Promise<Insight | "not_loaded"> {
  signal.throwIfAborted();
  const worker = start();
  const { promise, resolve, reject } = Promise.withResolvers<Insight | "not_loaded">();
  let isLoaded = false;
  const giveUp = () => resolve(isLoaded ? NOTHING : "not_loaded");
  // A slow line may still bring the code.
  const silent = () => (isLoaded ? giveUp() : onWaiting?.());
  let silence = setTimeout(silent, SILENCE_MS);
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  worker.onerror = giveUp;
  worker.onmessage = ({ data }: MessageEvent<LookReport>) => {
    isLoaded = true;
    clearTimeout(silence);
    silence = setTimeout(silent, SILENCE_MS);
    if (data.type === "loaded") onRead(0, 0);
    else if (data.type === "read") onRead(data.files, data.studies);
    else if (data.type === "film") onFilm?.(data.frame, data.film);
    else if (data.type === "done") resolve(data.insight);
    else reject(data.name === "Error" ? new Error(data.message) : new DOMException(data.message, data.name));
  };
  try {
    worker.postMessage({ files } satisfies LookRequest);
    return await promise;
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", abort);
    worker.terminate();
  }
}
