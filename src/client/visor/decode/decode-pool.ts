import { codecOf } from "../../../shared/pixels/decode-frame.ts";
import { NoPicture } from "../../../shared/pixels/no-picture.ts";
import type { PreparedFrame } from "../../../shared/pixels/prepare-frame.ts";
import type { CodecName } from "../../../shared/pixels/wasm-codec.ts";
import type { Decode } from "../core/frame-loader.ts";
import type { EncodedFrame } from "../core/source.ts";
import type { DecodeReply, DecodeRequest } from "./decode-messages.ts";

/** A worker as the pool uses it. */
export interface DecodeWorker {
  postMessage(message: DecodeRequest, transfer: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<DecodeReply>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

export type WorkerKind = CodecName | "plain";

export interface DecodePoolOptions {
  /** Starts a worker of a kind, its codec given. */
  start(kind: WorkerKind): Promise<DecodeWorker>;
  size: number;
  timeoutMs?: number;
}

export interface DecodePool {
  decode: Decode;
  /** Starts a worker for frames of a syntax that will come. */
  expect(transferSyntaxUID: string): void;
  close(): void;
}

/** The slowest real frame takes a tenth of this on a slow phone. */
const TIMEOUT_MS = 20_000;

interface Seat {
  kind: WorkerKind;
  worker: Promise<DecodeWorker>;
  isStarting: boolean;
  isBusy: boolean;
}

interface Turn {
  kind: WorkerKind;
  signal: AbortSignal;
  begin(seat: Seat): void;
  fail(error: unknown): void;
}

/** Decodes in workers that are ended when a frame takes too long. Waiting frames begin in the order of their calls. */
export function createDecodePool({ start, size, timeoutMs = TIMEOUT_MS }: DecodePoolOptions): DecodePool {
  const seats = new Set<Seat>();
  const waiting: Turn[] = [];

  const end = (seat: Seat) => {
    seats.delete(seat);
    seat.worker.then(
      (worker) => worker.terminate(),
      () => undefined,
    );
  };

  /** Ends a worker that fails while it is idle, such as one whose script did not arrive. */
  const rest = (seat: Seat, worker: DecodeWorker) => {
    worker.onerror = () => end(seat);
  };

  const isFree = ({ isBusy, isStarting }: Seat) => !isBusy && !isStarting;

  function seatOf(kind: WorkerKind): void {
    const seat: Seat = { kind, worker: start(kind), isStarting: true, isBusy: false };
    seats.add(seat);
    seat.worker.then(
      (worker) => {
        seat.isStarting = false;
        rest(seat, worker);
        serve();
      },
      (error: unknown) => {
        if (!seats.delete(seat)) return;
        const place = waiting.findIndex((turn) => turn.kind === kind);
        if (place >= 0) waiting.splice(place, 1)[0]?.fail(error);
        serve();
      },
    );
  }

  /** A worker for the turn that is next. It takes some time to start, so the turn goes to whichever is free first. */
  function startFor(kind: WorkerKind): void {
    const starting = [...seats].filter((seat) => seat.kind === kind && seat.isStarting);
    const turns = waiting.filter((turn) => turn.kind === kind && !turn.signal.aborted);
    if (starting.length >= turns.length) return;
    if (seats.size >= size) {
      const idle = [...seats].find((seat) => seat.kind !== kind && !seat.isBusy);
      if (!idle) return;
      end(idle);
    }
    seatOf(kind);
  }

  function serve(): void {
    while (waiting.length > 0) {
      const [next] = waiting;
      if (next && !next.signal.aborted) {
        const seat = [...seats].find((one) => one.kind === next.kind && isFree(one));
        if (!seat) {
          startFor(next.kind);
          return;
        }
        seat.isBusy = true;
        next.begin(seat);
      }
      waiting.shift();
    }
  }

  function take(kind: WorkerKind, signal: AbortSignal): Promise<Seat> {
    const turn = Promise.withResolvers<Seat>();
    const giveUp = () => turn.reject(signal.reason);
    signal.addEventListener("abort", giveUp);
    waiting.push({ kind, signal, begin: turn.resolve, fail: turn.reject });
    serve();
    return turn.promise.finally(() => signal.removeEventListener("abort", giveUp));
  }

  return {
    expect(transferSyntaxUID) {
      const kind = kindOf(transferSyntaxUID);
      if (seats.size < size && ![...seats].some((seat) => seat.kind === kind)) seatOf(kind);
    },
    async decode(encoded, pixels, { signal, takeMemory }) {
      signal.throwIfAborted();
      const seat = await take(kindOf(encoded.transferSyntaxUID), signal);
      const worker = await seat.worker;
      try {
        const { bytes, transferSyntaxUID, giveBack } = encoded;
        const isLent = giveBack !== undefined;
        const request = { bytes, transferSyntaxUID, isLent, pixels, into: takeMemory() };
        return await ask(worker, { type: "frame", ...request }, { timeoutMs, giveBack });
      } catch (error) {
        // A worker that failed or was too slow does not get another frame.
        if (!(error instanceof NoPicture) || error.detail === TOO_SLOW) end(seat);
        throw error;
      } finally {
        rest(seat, worker);
        seat.isBusy = false;
        serve();
      }
    },
    close() {
      waiting.length = 0;
      for (const seat of seats) end(seat);
    },
  };
}

function kindOf(transferSyntaxUID: string): WorkerKind {
  return codecOf(transferSyntaxUID) ?? "plain";
}

const TOO_SLOW = "too slow";

async function ask(
  worker: DecodeWorker,
  request: DecodeRequest & { type: "frame" },
  { timeoutMs, giveBack }: Pick<EncodedFrame, "giveBack"> & { timeoutMs: number },
): Promise<PreparedFrame> {
  const { promise, resolve, reject } = Promise.withResolvers<PreparedFrame>();
  const timer = setTimeout(() => reject(new NoPicture("undecodable", TOO_SLOW)), timeoutMs);
  worker.onmessage = ({ data }) => {
    if (data.lent) giveBack?.(data.lent);
    if (data.ok) resolve(data.frame);
    else reject(new NoPicture(data.failure, data.detail));
  };
  worker.onerror = ({ message }) => reject(new TypeError(message));
  try {
    worker.postMessage(request, request.into ? [request.bytes.buffer, request.into] : [request.bytes.buffer]);
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
