import { join } from "node:path";
import type { PictureFailure } from "../../../../shared/pixels/no-picture.ts";
import { ProcessLost } from "../../../processes/killable-process.ts";
import { SerialProcess } from "../../../processes/serial-process.ts";
import type { Logger } from "../../../runtime/log.ts";
import type { Turns } from "../../../runtime/turns.ts";
import type { PictureReply, PictureRequest } from "./picture-messages.ts";

/** Makes small pictures in a process of its own. */
export interface PictureMaker {
  /**
   * Makes the picture of one frame, or says why there is none: `lost` when decoding took too long or ended the process. Calls run
   * one at a time; others wait.
   * @throws the reason of `signal`, or `ProcessLost` when no process can be started
   */
  make(request: PictureRequest, signal: AbortSignal): Promise<Picture>;
  /** Ends the running request, and the process. */
  close(): Promise<void>;
}

export type Picture =
  | { ok: true; image: Uint8Array }
  | { ok: false; failure: PictureFailure | "lost"; detail: string };

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

/** The process starts with the first picture and ends when none was asked for a while. */
export function createPictureMaker(options: PictureMakerOptions): PictureMaker {
  const { log, command, turns, timeoutMs = DECODE_TIMEOUT_MS } = options;
  const decoder = new SerialProcess<PictureRequest, PictureReply>({
    command: command ?? [process.execPath, join(import.meta.dir, "picture-worker.ts")],
    log,
    event: "thumbnails.process_lost",
    timeoutMs,
    maxMemoryBytes: MAX_MEMORY_BYTES,
    ...(turns && { turns }),
  });
  const make = async (request: PictureRequest, signal: AbortSignal): Promise<Picture> => {
    const reply = await decoder.request(request, signal);
    if (reply instanceof ProcessLost) return { ok: false, failure: "lost", detail: reply.message };
    return reply;
  };
  return {
    make(request, signal) {
      const picture = make(request, signal);
      picture.catch(() => undefined); // the caller gets the failure, perhaps later
      return picture;
    },
    close: () => decoder.close(),
  };
}
