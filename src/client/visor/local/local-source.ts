import type { StackSource } from "../core/source.ts";
import { documentPage, failureOf } from "./local-document-page.ts";
import type { LocalExams, LocalFile, LocalReply, LocalRequest } from "./local-files.ts";

export type { LocalExams, LocalFile, LocalStudy } from "./local-files.ts";

/** The worker that reads the files, as the source uses it. */
export interface LocalReader {
  postMessage(message: LocalRequest, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<LocalReply>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

/** Exams of this device. Nothing of them leaves it: what reads them may reach no address. */
export interface LocalExam {
  exams: LocalExams;
  source: StackSource;
  close(): void;
}

export interface LocalOptions {
  onRead(files: number, total: number): void;
  signal: AbortSignal;
  start?: () => LocalReader;
}

/** A file that keeps the reader busy for longer is not read. */
const SILENCE_MS = 20_000;
/** The most that is held in memory where the worker may not read the files itself: more than a CD. */
const MAX_HELD_BYTES = 1024 * 1024 * 1024;

const startReader = (): LocalReader =>
  new Worker(new URL("./read-local.worker.ts", import.meta.url), { type: "module" });

/** Reading did not come to an end: the files are gone, or one of them keeps the reader busy. */
export class LocalReadingFailed extends Error {
  override name = "LocalReadingFailed";
}

/** The code that reads could not be loaded, as without a connection: nothing is wrong with the files. */
export class LocalReaderNotLoaded extends LocalReadingFailed {
  override name = "LocalReaderNotLoaded";
}

/** Opens files of this device: ZIPs, folders, single instances. @throws {LocalReadingFailed}; the signal's reason when aborted */
export async function openLocalExam(
  files: readonly LocalFile[],
  { onRead, signal, start = startReader }: LocalOptions,
): Promise<LocalExam> {
  signal.throwIfAborted();
  const reader = start();
  const opened = Promise.withResolvers<LocalExams>();
  const questions = new Map<number, PromiseWithResolvers<LocalReply>>();
  let asked = 0;
  let isLoaded = false;
  /** Why the reader was ended: it answers nothing any more. */
  let ended: LocalReadingFailed | undefined;
  const fail = (reason: string) => {
    const failure = isLoaded ? new LocalReadingFailed(reason) : new LocalReaderNotLoaded(reason);
    ended = failure;
    opened.reject(failure);
    for (const { reject } of questions.values()) reject(failure);
    questions.clear();
    reader.terminate();
  };
  const watch = () => setTimeout(() => fail("silent"), SILENCE_MS);
  let silence = watch();
  const abort = () => {
    opened.reject(signal.reason);
    reader.terminate();
  };
  signal.addEventListener("abort", abort);
  reader.onerror = ({ message }) => fail(message);
  reader.onmessage = ({ data }) => {
    isLoaded = true;
    clearTimeout(silence);
    if (data.type === "loaded") silence = watch();
    else if (data.type === "unreadable")
      handBytes(files, reader, signal).then(
        () => {
          silence = watch();
        },
        (error: unknown) => fail(String(error)),
      );
    else if (data.type === "read") {
      silence = watch();
      onRead(data.files, data.total);
    } else if (data.type === "opened") opened.resolve(data.exams);
    else if (data.type === "failed" && data.id === undefined) fail(data.reason);
    else if (data.id !== undefined) {
      const question = questions.get(data.id);
      questions.delete(data.id);
      if (data.type === "failed") question?.reject(new LocalReadingFailed(data.reason));
      else question?.resolve(data);
    }
  };

  function ask(question: (id: number) => LocalRequest, cancelled: AbortSignal): Promise<LocalReply> {
    cancelled.throwIfAborted();
    if (ended) return Promise.reject(ended);
    const id = ++asked;
    const pending = Promise.withResolvers<LocalReply>();
    questions.set(id, pending);
    const cancel = () => pending.reject(cancelled.reason);
    cancelled.addEventListener("abort", cancel);
    reader.postMessage(question(id));
    // A visor asks some thousand questions under the same signal.
    return pending.promise.finally(() => {
      questions.delete(id);
      cancelled.removeEventListener("abort", cancel);
    });
  }

  try {
    reader.postMessage({ type: "open", files: [...files] });
    const exams = await opened.promise;
    return { exams, source: sourceOver(exams, ask), close: () => reader.terminate() };
  } catch (error) {
    reader.terminate();
    throw error;
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", abort);
  }
}

/** Reads the files for a worker that may not. @throws {RangeError} before more is held than a device can hold */
async function handBytes(
  files: readonly LocalFile[],
  reader: LocalReader,
  signal: AbortSignal,
): Promise<void> {
  const sizeBytes = files.reduce((sum, { blob }) => sum + blob.size, 0);
  if (sizeBytes > MAX_HELD_BYTES) throw new RangeError(`${sizeBytes} bytes to hold`);
  for (const { path, blob } of files) {
    const bytes = await blob.arrayBuffer();
    if (signal.aborted) return;
    reader.postMessage({ type: "hold", path, bytes }, [bytes]);
  }
  reader.postMessage({ type: "open", files: [] });
}

type Ask = (question: (id: number) => LocalRequest, cancelled: AbortSignal) => Promise<LocalReply>;

function sourceOver(exams: LocalExams, ask: Ask): StackSource {
  const wanted = (reply: LocalReply) => new LocalReadingFailed(`an answer of the kind ${reply.type}`);
  return {
    async listSeries(studyInstanceUID) {
      return exams.studies.find((study) => study.studyInstanceUID === studyInstanceUID)?.series ?? [];
    },
    async readMetadata({ studyInstanceUID, seriesInstanceUID }, signal) {
      const reply = await ask(
        (id) => ({ type: "metadata", id, studyInstanceUID, seriesInstanceUID }),
        signal,
      );
      if (reply.type !== "metadata") throw wanted(reply);
      return reply.metadata;
    },
    async readFrame({ sopInstanceUID, frameIndex }, { signal }) {
      const reply = await ask((id) => ({ type: "frame", id, sopInstanceUID, frameIndex }), signal);
      if (reply.type !== "frame") throw wanted(reply);
      return reply.frame;
    },
    async readDocument({ sopInstanceUID }, { language, signal }) {
      const reply = await askForValue(ask, (id) => ({ type: "document", id, sopInstanceUID }), signal);
      if (reply.type !== "document") throw wanted(reply);
      return documentPage(reply.document, language);
    },
    async readBulkData({ sopInstanceUID }, range, signal) {
      const reply = await askForValue(ask, (id) => ({ type: "bulkData", id, sopInstanceUID, range }), signal);
      if (reply.type !== "bulkData") throw wanted(reply);
      return reply.bytes;
    },
  };
}

async function askForValue(ask: Ask, ...asked: Parameters<Ask>): Promise<LocalReply> {
  try {
    return await ask(...asked);
  } catch (error) {
    if (!(error instanceof LocalReadingFailed)) throw error;
    throw failureOf(error.message);
  }
}
