import { join } from "node:path";
import type { PictureFailure } from "../../../../shared/pixels/no-picture.ts";
import { ProcessEnded, ProcessLost } from "../../../processes/killable-process.ts";
import { SerialProcess } from "../../../processes/serial-process.ts";
import type { Logger } from "../../../runtime/log.ts";
import type { Turns } from "../../../runtime/turns.ts";
import type {
  AnsweredNative,
  NativeReply,
  NativeRequest,
  NothingDecoded,
  PictureReply,
  PictureRequest,
} from "./picture-messages.ts";

/** Decodes frames, and makes pictures of them, in a process of its own. */
export interface PictureMaker {
  /**
   * Makes the picture of one frame, or says why there is none: `lost` when decoding took too long or ended the process. Calls run
   * one at a time; others wait.
   * @throws the reason of `signal`, or `ProcessLost` when no process can be started
   */
  make(request: PictureRequest, signal: AbortSignal): Promise<Picture>;
  /** Decodes one frame to native pixel data, as {@link make} makes a picture. The two do not wait for each other. */
  decode(request: NativeRequest, signal: AbortSignal): Promise<Decoded>;
  /** Ends the running request, and the process. */
  close(): Promise<void>;
}

/** Why there is nothing; `lost` as {@link PictureMaker.make} says. */
type Failed = Omit<NothingDecoded, "failure"> & { failure: PictureFailure | "lost" };

export type Picture = { ok: true; image: Uint8Array } | Failed;

export type Decoded = { ok: true; frame: AnsweredNative } | Failed;

export interface PictureMakerOptions {
  log: Pick<Logger, "warn">;
  /**
   * Starts the process. Without it the entry is run from source; the compiled executable names itself and a
   * subcommand that imports `picture-worker.ts`.
   */
  command?: readonly string[] | undefined;
  /** Shared with other processes that must not work at the same time. */
  turns?: Turns;
  /** The time limit for decoding one frame. */
  timeoutMs?: number;
}

const DECODE_TIMEOUT_MS = 5_000;
/** Enough for a frame of 64 MB as bytes and as samples, and for the codec. */
const MAX_MEMORY_BYTES = 224 * 1024 * 1024;

/** For frames of which every sample is sent: mammograms of 27 MB are decoded whole, and nobody waits for them in a list. */
const NATIVE = {
  timeoutMs: 20_000,
  maxMemoryBytes: 400 * 1024 * 1024,
  /** The codecs keep some 60 MB after a slice, and it would be slow to start them for each. */
  maxKeptBytes: 128 * 1024 * 1024,
};

function withoutLost<Reply>(reply: Reply | ProcessLost): Reply | Failed {
  return reply instanceof ProcessLost ? { ok: false, failure: "lost", detail: reply.message } : reply;
}

/** The process starts with the first picture and ends when none was asked for a while. */
export function createPictureMaker(options: PictureMakerOptions): PictureMaker {
  const { log, command, turns, timeoutMs = DECODE_TIMEOUT_MS } = options;
  const started = { command: command ?? [process.execPath, join(import.meta.dir, "picture-worker.ts")], log };
  const drawer = new SerialProcess<PictureRequest, PictureReply>({
    ...started,
    event: "thumbnails.process_lost",
    timeoutMs,
    maxMemoryBytes: MAX_MEMORY_BYTES,
    ...(turns && { turns }),
  });
  const decoder = new SerialProcess<NativeRequest, NativeReply>({
    ...started,
    event: "frames.process_lost",
    timeoutMs: NATIVE.timeoutMs,
    maxMemoryBytes: NATIVE.maxMemoryBytes,
    maxKeptBytes: NATIVE.maxKeptBytes,
  });
  async function ask<Request, Reply>(
    process: SerialProcess<Request, Reply>,
    request: Request,
    signal: AbortSignal,
  ): Promise<Reply | Failed> {
    return withoutLost(await process.request(request, signal));
  }
  async function decode(request: NativeRequest, signal: AbortSignal): Promise<Decoded> {
    const reply = await decoder.request(request, signal);
    // Whoever killed the process, such as a system short of memory, need not have meant this frame.
    return withoutLost(reply instanceof ProcessEnded ? await decoder.request(request, signal) : reply);
  }
  return {
    make(request, signal) {
      const picture = ask(drawer, request, signal);
      picture.catch(() => undefined); // the caller gets the failure, perhaps later
      return picture;
    },
    decode(request, signal) {
      const frame = decode(request, signal);
      frame.catch(() => undefined);
      return frame;
    },
    async close() {
      await Promise.all([drawer.close(), decoder.close()]);
    },
  };
}
