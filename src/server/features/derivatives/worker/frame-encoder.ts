import { join } from "node:path";
import { ProcessLost } from "../../../processes/killable-process.ts";
import { SerialProcess } from "../../../processes/serial-process.ts";
import type { Logger } from "../../../runtime/log.ts";
import type { EncodeReply, EncodeRequest, ProvenFrame, SampleFormat, SentBytes } from "./encode-messages.ts";

/** Why there is no answer; `isLost` if the request took too long, took too much memory or ended the process. */
export interface NotEncoded {
  reason: string;
  isLost: boolean;
}

/** Makes lossless copies of frames in a process of its own, one at a time. */
export interface FrameEncoder {
  /** @throws the reason of `signal`, or `ProcessLost` when no process can be started */
  describe(header: SentBytes, signal: AbortSignal): Promise<SampleFormat | NotEncoded>;
  /** Encodes a frame, and decodes it again to compare every sample. @throws as {@link describe} */
  encode(frame: FrameToEncode, signal: AbortSignal): Promise<ProvenFrame | NotEncoded>;
  /** Ends the running request, and the process. */
  close(): Promise<void>;
}

export type FrameToEncode = Omit<EncodeRequest & { kind: "encode" }, "kind">;

export interface FrameEncoderOptions {
  log: Pick<Logger, "warn">;
  /** Starts the process. Without it the entry is run from source; the compiled executable names itself and a subcommand. */
  command?: readonly string[] | undefined;
  /** The time limit for one frame. */
  timeoutMs?: number;
}

/** Enough for the largest frame on a machine that is busy with other things, which all go first. */
const FRAME_TIMEOUT_MS = 60_000;
/** Enough for a frame of 32 MB as bytes and as samples, encoded and decoded. */
const MAX_MEMORY_BYTES = 400 * 1024 * 1024;
/** The codecs keep some 60 MB after a slice, and it would be slow to start them for each. */
const MAX_KEPT_BYTES = 128 * 1024 * 1024;

/** The process starts with the first request and ends when none came for a while. */
export function createFrameEncoder(options: FrameEncoderOptions): FrameEncoder {
  const { log, command, timeoutMs = FRAME_TIMEOUT_MS } = options;
  const encoder = new SerialProcess<EncodeRequest, EncodeReply>({
    command: command ?? [process.execPath, join(import.meta.dir, "encode-worker.ts")],
    log,
    event: "derivatives.encoder_lost",
    timeoutMs,
    maxMemoryBytes: MAX_MEMORY_BYTES,
    maxKeptBytes: MAX_KEPT_BYTES,
  });
  const ask = async (request: EncodeRequest, signal: AbortSignal) => {
    const reply = await encoder.request(request, signal);
    if (reply instanceof ProcessLost) return { reason: reply.message, isLost: true };
    return reply.ok ? reply : { reason: reply.reason, isLost: false };
  };
  return {
    async describe(header, signal) {
      const reply = await ask({ kind: "describe", header }, signal);
      return "format" in reply ? reply.format : failureOf(reply);
    },
    async encode(frame, signal) {
      const reply = await ask({ kind: "encode", ...frame }, signal);
      return "codeStream" in reply ? reply : failureOf(reply);
    },
    close: () => encoder.close(),
  };
}

function failureOf(reply: object): NotEncoded {
  return "reason" in reply ? (reply as NotEncoded) : { reason: "another reply", isLost: true };
}
