import type { Context } from "hono";
import { AppError } from "../../../http/app-error.ts";
import type { HeldWhileSent } from "../../../http/stream-of.ts";
import { sleep } from "../../../runtime/sleep.ts";
import type { DicomwebCatalogue } from "../dicomweb.catalogue.ts";
import { tooManyReads } from "../dicomweb.errors.ts";
import { type BoundedTurnLimits, BoundedTurns } from "../turns/bounded-turns.ts";
import { type HeldPlace, Places } from "../turns/places.ts";
import { placeOf, type Searcher } from "../turns/searcher.ts";
import type { FrameDecoder, FrameToDecode, NativeFrame } from "./frame-decoder.ts";

/** Answers that are decoded while they are sent. Each holds a frame. */
const LONG_ANSWERS = { all: 4, own: 2 };
/** Frames that answers begin with. The process decodes one at a time, and a large one takes it some seconds. */
const TURNS: BoundedTurnLimits = {
  turns: 3,
  turnsPerAccount: 1,
  asked: { all: 96, own: 19 },
  waitMs: 20_000,
};
const TRY_AGAIN_MS = 1_000;
const MAX_TRIES = 60;
/** How often a frame of an answer that has begun is tried: 30 seconds each, before its client takes the silence for the end. */
const MAX_DECODINGS = 3;

/** Who asks, until `signal` says that they left. */
export interface Asker {
  searcher: Searcher;
  signal: AbortSignal;
  /** Whether nothing is sent but headers. */
  isHead: boolean;
}

/** Decoding for one caller. */
export interface AskedDecoding {
  decoding: Decoding;
  asker: Asker;
}

/** Undefined where nothing is decoded. */
export function askedDecoding(
  decoding: Decoding | undefined,
  c: Context,
  { searching }: DicomwebCatalogue,
): AskedDecoding | undefined {
  const { method, raw } = c.req;
  const asker = { searcher: searching.searcher, signal: raw.signal, isHead: method === "HEAD" };
  return decoding && { decoding, asker };
}

/** Decodes frames for callers: fairly between them, and a few at once. */
export class Decoding {
  readonly #turns = new BoundedTurns(TURNS);
  readonly #long = new Places(LONG_ANSWERS);

  constructor(private readonly decoder: FrameDecoder) {}

  /** Decodes the only frame of an answer, or the first, as {@link FrameDecoder.decode}. @throws {AppError} 503 if too many wait */
  inTurn(frame: FrameToDecode, { searcher, signal }: Asker): Promise<NativeFrame | undefined> {
    return this.#turns.run(searcher, signal, () => this.decoder.decode(frame, signal));
  }

  /** Decodes a frame of an answer that holds a place. It has begun, so it waits for others' frames longer than one that can be refused. */
  async next(frame: FrameToDecode, { signal }: Asker): Promise<NativeFrame | undefined> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.decoder.decode(frame, signal);
      } catch (error) {
        const isBusy = error instanceof AppError && error.kind === tooManyReads;
        if (!isBusy || signal.aborted || tries >= MAX_DECODINGS) throw error;
      }
    }
  }

  /** The place of an answer that is long, or of several frames. @throws {AppError} 503 with Retry-After */
  takePlace({ searcher }: Asker): HeldPlace {
    return this.#long.take(...placeOf(searcher));
  }

  /** For an answer that will certainly need a place, before anything is decoded for it. @throws {AppError} 503 with Retry-After */
  assertPlace({ searcher, isHead }: Asker): void {
    if (!isHead) this.#long.assertTakeable(...placeOf(searcher));
  }

  /** For an answer that needs a place only once it comes to something that must be decoded. */
  placeForLater(asker: Asker): PlaceForLater {
    return new PlaceForLater(() => this.takePlace(asker), asker.signal);
  }
}

/** The place of an answer that begins with a frame, which is disposed with it. */
export function placeWith(place: HeldPlace, frame: AsyncDisposable): HeldWhileSent {
  return {
    beginSending: (giveUp) => place.beginSending(giveUp),
    took: (bytes) => place.took(bytes),
    [Symbol.dispose]() {
      place[Symbol.dispose]();
      // A file that stays is removed at a later start.
      frame[Symbol.asyncDispose]().then(undefined, () => {});
    },
  };
}

/** A place that an answer takes on its way, and has until it is sent. */
export class PlaceForLater implements HeldWhileSent {
  #place: HeldPlace | undefined;
  #giveUp: ((reason: unknown) => void) | undefined;
  #isOver = false;

  constructor(
    private readonly take: () => HeldPlace,
    private readonly signal: AbortSignal,
  ) {}

  /** Waits until a place is free, if the answer has none. @throws {AppError} if that takes a minute; the reason of the signal */
  async taken(): Promise<void> {
    for (let tries = 1; !this.#place; tries++) {
      this.signal.throwIfAborted();
      if (this.#isOver) throw new Error("nobody reads the answer");
      try {
        this.#place = this.take();
        this.#place.beginSending((reason) => this.#giveUp?.(reason));
      } catch (error) {
        if (!(error instanceof AppError) || tries >= MAX_TRIES) throw error;
        await sleep(TRY_AGAIN_MS, this.signal);
      }
    }
  }

  beginSending(giveUp: (reason: unknown) => void): void {
    this.#giveUp = giveUp;
  }

  took(bytes: number): void {
    this.#place?.took(bytes);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#place?.[Symbol.dispose]();
  }
}
