import type { DetailedError } from "tus-js-client";
import { problemSchema } from "../../../../shared/api/problem.ts";
import {
  createUploadCall,
  endUploadCall,
  type ResumableUploadState,
  readUploadCall,
} from "../../../../shared/api/resumable.ts";
import type { UploadAnswer } from "../../../../shared/api/upload.ts";
import { ApiError, callApi, callJson, unreachable } from "../../../calls/api.ts";
import { activeLocale } from "../../../i18n.ts";
import { PageOutdated } from "../../../runtime/page-outdated.ts";
import { parseJson } from "../../../runtime/parse-json.ts";
import { currentToken, endSessionIfRefused } from "../../../session.ts";
import { announceHeld } from "./announce-upload.ts";
import { backOffMs, waitOrOnline } from "./back-off.ts";
import { ChunkSize } from "./chunk-size.ts";
import { withChunkSums } from "./chunk-sums.ts";
import { isReadable } from "./is-readable.ts";
import { loadTus } from "./load-tus.ts";
import { rememberUpload } from "./remember-upload.ts";
import { addSample, findRecord, forgetUpload, serverIdOf, uploadIdOf } from "./resume-records.ts";
import type { OutgoingUpload, SendOptions } from "./send-upload.ts";
import { SumsAhead } from "./sums-ahead.ts";
import { withLock } from "./upload-lock.ts";
import type { UploadTransport } from "./upload-transport.ts";

const OUTCOME_POLL_MS = [300, 500, 1_000, 2_000];
/** Statuses after which the same request may succeed: the upload stands elsewhere, is held, arrived changed, or must wait. */
const MAY_PASS = new Set([0, 409, 423, 429, 460]);
const NO_ROOM = 507;
/** The next try may reach a node whose disk has room. */
const TRIES_WITHOUT_ROOM = 3;
/** After so many tries in a row a file that can't be read counts as lost. */
const MAX_UNREADABLE = 4;

/** Sends in chunks that the server keeps (tus 1.0.0), and goes on by itself after failures that may pass. */
export const resumableTransport: UploadTransport = {
  resumes: true,
  // Another tab that would send the same upload waits until this one is done or stops.
  send: (upload, options) => withLock(upload.id, options.signal, () => sendWhole(upload, options)),
};

async function sendWhole(upload: OutgoingUpload, options: SendOptions): Promise<UploadAnswer> {
  const id = await withChunkSums(async (sums) => {
    const attempt = new Attempt(upload, options, sums && new SumsAhead(sums, upload.zip));
    await sendRest(upload, options, attempt);
    return attempt.uploadId;
  });
  options.onProgress(upload.zip.size, upload.zip.size);
  return await outcomeOf(id, options);
}

async function sendRest(
  upload: OutgoingUpload,
  { signal, onFailure }: SendOptions,
  attempt: Attempt,
): Promise<void> {
  let unreadable = 0;
  for (let failures = 0; !upload.isWhole; ) {
    try {
      await attempt.sendRest();
      break;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // The page that is loaded instead goes on with it.
      if (error instanceof PageOutdated) await announceHeld(upload, signal);
      if (attempt.goesOnSmaller(error) || attempt.goesOnRenewed(error)) continue;
      failures = attempt.hasProgressed ? 1 : failures + 1;
      // A file that can't be read any more looks like a connection that failed. One on a share may be away just as long as that.
      unreadable = (await isReadable(upload.zip)) ? 0 : unreadable + 1;
      if (!mayPass(error, failures) || unreadable >= MAX_UNREADABLE) throw error;
      onFailure?.(error);
      await waitOrOnline(backOffMs(Math.max(failures, unreadable)), signal);
    }
  }
}

function mayPass(error: unknown, failures: number): boolean {
  if (!(error instanceof ApiError) || error.code === "upload.too_many_open") return false;
  if (error.status === NO_ROOM) return failures <= TRIES_WITHOUT_ROOM;
  return MAY_PASS.has(error.status) || error.status >= 500;
}

/** One upload over all its connections. */
class Attempt {
  hasProgressed = false;
  readonly #size = new ChunkSize(performance.now());
  /** On the server, also if the browser forgets it. */
  #path: string | undefined;
  /** With which the last connection began. */
  #token: string | undefined;

  constructor(
    private readonly outgoing: OutgoingUpload,
    private readonly options: SendOptions,
    private readonly sums: SumsAhead | undefined,
  ) {}

  /** Whether the next chunk is smaller than one that a proxy did not let pass. */
  goesOnSmaller(error: unknown): boolean {
    return isOverProxyLimit(error) && this.#size.wasTooLarge();
  }

  /** Whether the session was renewed after this connection had begun, such as by another password. */
  goesOnRenewed(error: unknown): boolean {
    const isRefused = error instanceof ApiError && error.status === 401;
    const now = currentToken();
    return isRefused && now !== undefined && now !== this.#token;
  }

  /** The upload's id on the server. */
  get uploadId(): string {
    return uploadIdOf(this.#knownPath());
  }

  #knownPath(): string | undefined {
    return findRecord(this.outgoing.id)?.path ?? this.#path;
  }

  /** Sends what the server does not have, over one connection. @throws {ApiError} */
  async sendRest(): Promise<void> {
    const { Upload } = await loadTus();
    const { zip, fileName, metadata, id } = this.outgoing;
    const { signal, onProgress } = this.options;
    signal.throwIfAborted();
    this.hasProgressed = false;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let chunk = { offset: 0, sum: "", sentAt: 0 };
    const token = currentToken();
    this.#token = token;
    const upload = new Upload(zip, {
      endpoint: createUploadCall.path,
      uploadUrl: this.#knownPath() ?? null,
      chunkSize: this.#size.bytes,
      retryDelays: null,
      storeFingerprintForResuming: false,
      metadata: { filename: fileName, formData: JSON.stringify(metadata) },
      headers: { "Accept-Language": activeLocale(), ...(token && { Authorization: `Bearer ${token}` }) },
      onUploadUrlAvailable: () => {
        this.#path = rememberUpload(this.outgoing, upload.url) ?? this.#path;
      },
      onBeforeRequest: async (request) => {
        if (request.getMethod() !== "PATCH") return;
        const offset = Number(request.getHeader("Upload-Offset"));
        const sum = await this.sums?.sum(offset, this.#size.bytes);
        if (sum !== undefined) request.setHeader("Upload-Checksum", `sha256 ${sum}`);
        chunk = { offset, sum: sum ?? "", sentAt: performance.now() };
      },
      onProgress: (sentBytes) => onProgress(sentBytes, zip.size),
      onChunkComplete: (length) => {
        this.hasProgressed = true;
        if (chunk.sum) addSample(id, { offset: chunk.offset, length, sum: chunk.sum });
        const now = performance.now();
        this.#size.arrived(length, now - chunk.sentAt, now);
        upload.options.chunkSize = this.#size.bytes;
      },
      onSuccess: () => resolve(),
      onError: (error) => reject(error),
    });
    const abort = () => {
      void upload.abort();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort);
    try {
      upload.start();
      await promise;
    } catch (error) {
      const failure = signal.aborted ? signal.reason : toApiError(error, token);
      if (!isOverProxyLimit(failure)) this.#size.wasCut(performance.now());
      throw failure;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }
}

/** Whether a proxy found a request too large; the server itself says so in a problem with a code. */
function isOverProxyLimit(error: unknown): boolean {
  return error instanceof ApiError && error.status === 413 && error.code === "unknown";
}

/** A failure of tus-js-client in the words of our own calls. */
function toApiError(error: unknown, token: string | undefined): unknown {
  const response = error instanceof Error && (error as Partial<DetailedError>).originalResponse;
  if (!response) return unreachable();
  const status = response.getStatus();
  endSessionIfRefused(status, token);
  const problem = problemSchema.safeParse(parseJson(response.getBody()));
  if (!problem.success) return new ApiError(status, "unknown", "");
  const { code, message, violations, requestId } = problem.data;
  return new ApiError(status, code, message, violations, requestId);
}

/**
 * Waits until the server, which has all bytes of an upload, has read them, and returns the outcome.
 * @param id the server's
 * @throws {ApiError} why nothing was stored; the upload is dismissed then
 */
export async function outcomeOf(
  id: string,
  { signal, onWaiting }: Pick<SendOptions, "signal" | "onWaiting">,
): Promise<UploadAnswer> {
  for (let polls = 0; ; polls++) {
    const state = await readState(id, signal);
    if (state?.state === "done" && state.result) return state.result;
    if (state?.state === "failed") {
      await dismiss(id);
      const { status = 500, code = "unknown", message = "" } = state.problem ?? {};
      throw new ApiError(status, code, message);
    }
    if (state) onWaiting?.(state.problem?.code === "storage.full");
    await waitOrOnline(OUTCOME_POLL_MS[Math.min(polls, OUTCOME_POLL_MS.length - 1)] ?? 0, signal);
  }
}

/** @param id the server's. @throws {ApiError} */
export async function readUpload(id: string, signal: AbortSignal): Promise<ResumableUploadState> {
  return await callJson(readUploadCall, { params: { upload: id }, signal });
}

/** Undefined while the server can't be asked. */
async function readState(id: string, signal: AbortSignal): Promise<ResumableUploadState | undefined> {
  try {
    return await readUpload(id, signal);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 0 || error.status >= 500)) return undefined;
    throw error;
  }
}

/** Dismisses the upload of a row of the tray: its bytes on the server, and what the browser remembers of it. */
export async function endOnServer(rowId: string): Promise<void> {
  const id = serverIdOf(rowId);
  if (id) await dismiss(id);
}

/** Ids of the uploads that this page ended on the server, or is ending: one for each that a person took out of the tray. */
const ended = new Set<string>();

/** Whether an upload of the server's list is over, although the list may be older than its end. */
export function wasEndedHere(id: string): boolean {
  return ended.has(id);
}

async function dismiss(id: string): Promise<void> {
  forgetUpload(id);
  ended.add(id);
  try {
    await callApi(endUploadCall, { params: { upload: id }, headers: { "Tus-Resumable": "1.0.0" } });
  } catch (error) {
    // It ends there by itself, after a week.
    ended.delete(id);
    if (!(error instanceof ApiError)) throw error;
  }
}
