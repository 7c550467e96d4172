import { NoPicture } from "../../../shared/pixels/no-picture.ts";
import { assertDrawable } from "../../../shared/pixels/pixel-bounds.ts";
import { type PixelModule, readPixelModule } from "../../../shared/pixels/pixel-module.ts";
import { type PreparedFrame, preparedBytes } from "../../../shared/pixels/prepare-frame.ts";
import { CoarseFrame } from "./coarse-frame.ts";
import { createFrameCache, pixelsOf } from "./frame-cache.ts";
import { createFrameMemory } from "./frame-memory.ts";
import { SeenPlace } from "./seen-place.ts";
import { type EncodedFrame, SourceDamaged, SourceEnded, type StackSource } from "./source.ts";
import type { Slice } from "./stacks.ts";

/** Decodes one frame; aborting ends the work. @throws {NoPicture} */
export type Decode = (
  encoded: EncodedFrame,
  pixels: PixelModule,
  options: {
    signal: AbortSignal;
    /** Asked for when the frame's turn has come. */
    takeMemory(): ArrayBuffer | undefined;
  },
) => Promise<PreparedFrame>;

/**
 * `lost`: it did not arrive; `damaged`: the server keeps it damaged; `undecodable`, `unsupported`: it arrived and can't be drawn;
 * `ended`: access has ended.
 */
export type FrameFailure = "lost" | "damaged" | "undecodable" | "unsupported" | "ended";

export interface FrameLoaderOptions {
  source: Pick<StackSource, "readFrame">;
  decode: Decode;
  maxBytes: number;
  /** Frames on their way at once, besides the seen one. */
  concurrency?: number;
  waitsMs?: readonly number[];
  /** How long after a frame was lost the seen one is asked for again. */
  againMs?: number;
  onChange(key: string): void;
}

/** Brings the frames of one stack in the order in which a person may see them. */
export interface FrameLoader {
  /** Says what is seen, and in which direction the person scrolls. Frames that left the window are aborted. */
  focus(slices: readonly Slice[], index: number, direction?: number): void;
  /** The whole frame, or a coarser picture of the seen one while the rest arrives. */
  frame(slice: Slice): PreparedFrame | undefined;
  /** Whether what is there of a slice is the coarser picture. */
  isCoarse(slice: Slice): boolean;
  failure(slice: Slice): FrameFailure | undefined;
  retry(slice: Slice): void;
  readonly sizeBytes: number;
  close(): void;
}

/**
 * A browser opens six connections to a server. One is left to the seen slice: a request that is aborted keeps its own until the page is
 * done with drawing.
 */
const CONCURRENCY = 5;
const WAITS_MS = [400, 1_600];
/** Once the way to the source may be back. */
const AGAIN_MS = 10_000;
/** Slices farther away than this from the seen one are aborted when others are needed. */
const KEPT_RANKS = 24;
/** Once this many frames of a stack failed, the others are requested only when they are seen. */
const MAX_FAILURES = 64;
/**
 * The part of the cache that frames ahead and behind may fill. The rest keeps what was seen before, so that a person who goes to and fro
 * does not read the same slices again.
 */
const AHEAD_SHARE = 0.5;

export function createFrameLoader(options: FrameLoaderOptions): FrameLoader {
  const { source, decode, maxBytes, onChange, concurrency = CONCURRENCY } = options;
  const { waitsMs = WAITS_MS, againMs = AGAIN_MS } = options;
  const memory = createFrameMemory();
  const cache = createFrameCache(maxBytes, memory.give);
  const running = new Map<string, AbortController>();
  /** The running requests that have received all their bytes. */
  const arrived = new Set<AbortController>();
  const failures = new Map<string, FrameFailure>();
  /** Frames that came and found no room beside those nearer to the seen one: not asked for again until another is seen. */
  const crowdedOut = new Set<string>();
  /** The failed frames that are asked for again. */
  const again = new Set<string>();
  let lostAtMs = Number.NEGATIVE_INFINITY;
  let askingAgain: ReturnType<typeof setTimeout> | undefined;
  const seen = new SeenPlace();
  const coarse = new CoarseFrame(memory.give);
  let isClosed = false;
  /** Of the stack's frame that came last. */
  let lastFrameBytes = 0;

  function pump(): void {
    if (isClosed) return;
    const wanted: Slice[] = [];
    for (const slice of seen.outward(reach())) {
      if (crowdedOut.has(slice.key)) continue;
      if (cache.get(slice.key) || (failures.has(slice.key) && !again.has(slice.key))) continue;
      if (failures.size >= MAX_FAILURES && !seen.isSeen(slice.key)) break;
      wanted.push(slice);
      if (wanted.length >= KEPT_RANKS) break;
    }
    const near = new Set(wanted.map(({ key }) => key));
    for (const [key, controller] of running) if (!near.has(key)) controller.abort();
    const [first] = wanted;
    if (first && seen.isSeen(first.key)) {
      // The seen slice neither waits for a connection nor shares the line with slices that nobody sees yet.
      if (!running.has(first.key)) {
        if (running.size > concurrency) abortFarthest();
        void load(first);
      }
      const own = running.get(first.key);
      if (own && !arrived.has(own)) return;
    }
    for (const slice of wanted) {
      if (running.size >= concurrency) break;
      if (!running.has(slice.key)) void load(slice);
    }
  }

  /** Asks for the seen frame again for as long as it is lost: nobody else says when the source is back. */
  function askAgainLater(): void {
    const { slice } = seen;
    if (isClosed || askingAgain || !slice || failures.get(slice.key) !== "lost") return;
    const waitMs = Math.max(0, lostAtMs + againMs - performance.now());
    askingAgain = setTimeout(() => {
      askingAgain = undefined;
      if (seen.slice && failures.get(seen.slice.key) === "lost") again.add(seen.slice.key);
      pump();
    }, waitMs);
  }

  /** The source is back: what it did not bring is wanted again. */
  function forgetLost(): void {
    for (const [key, failure] of failures) if (failure === "lost") failures.delete(key);
  }

  function abortFarthest(): void {
    const [farthest] = [...running.keys()].sort((a, b) => seen.distanceOf(b) - seen.distanceOf(a));
    if (farthest !== undefined) running.get(farthest)?.abort();
  }

  /** How many slices on either side fit into the cache. */
  function reach(): number {
    const { slice } = seen;
    if (!slice) return concurrency;
    const frame = cache.get(slice.key);
    // A slice that failed counts as large as the others.
    const size = frame ? pixelsOf(frame).byteLength : failures.has(slice.key) ? lastFrameBytes : 0;
    if (size === 0) return concurrency;
    // Large frames, as of a mammography on a phone, may leave no room for one on either side.
    return Math.max(3 * size > maxBytes ? 0 : 1, Math.floor((maxBytes * AHEAD_SHARE) / size / 2));
  }

  async function load(slice: Slice): Promise<void> {
    const controller = new AbortController();
    running.set(slice.key, controller);
    const { signal } = controller;
    try {
      const frame = await loadFrame(slice, signal, () => {
        arrived.add(controller);
        pump();
      });
      if (signal.aborted) memory.give(frame);
      else {
        cache.add(slice.key, frame, (key) => seen.distanceOf(key));
        if (!cache.get(slice.key)) crowdedOut.add(slice.key);
        if (seen.has(slice.key)) lastFrameBytes = pixelsOf(frame).byteLength;
        failures.delete(slice.key);
        if (again.has(slice.key)) forgetLost();
      }
      coarse.drop(slice.key);
    } catch (error) {
      if (!signal.aborted) {
        failures.set(slice.key, failureOf(error));
        lostAtMs = performance.now();
      }
    } finally {
      again.delete(slice.key);
      arrived.delete(controller);
      if (running.get(slice.key) === controller) running.delete(slice.key);
    }
    if (isClosed) return;
    if (!signal.aborted) onChange(slice.key);
    pump();
    askAgainLater();
  }

  async function loadFrame(slice: Slice, signal: AbortSignal, onArrived: () => void): Promise<PreparedFrame> {
    const pixels = readPixelModule(slice.metadata, slice.frameIndex);
    assertDrawable(pixels);
    const begun = new AbortController();
    const onPrefix = (prefix: EncodedFrame) =>
      void showPreview(slice, prefix, pixels, AbortSignal.any([signal, begun.signal]));
    const encoded = await readAgain(slice, signal, onPrefix);
    begun.abort();
    onArrived();
    return await decode(encoded, pixels, { signal, takeMemory: memoryFor(pixels) });
  }

  function memoryFor(pixels: PixelModule): () => ArrayBuffer | undefined {
    return () => memory.take(preparedBytes(pixels));
  }

  /** Shows the beginning of the seen frame, unless the whole one is there first. */
  async function showPreview(
    slice: Slice,
    prefix: EncodedFrame,
    pixels: PixelModule,
    signal: AbortSignal,
  ): Promise<void> {
    if (!seen.isSeen(slice.key)) return;
    const copy = { ...prefix, bytes: prefix.bytes.slice() };
    const frame = await decode(copy, pixels, { signal, takeMemory: memoryFor(pixels) }).catch(
      () => undefined,
    );
    if (!frame || signal.aborted || !seen.isSeen(slice.key)) return;
    coarse.show(slice.key, frame);
    onChange(slice.key);
  }

  async function readAgain(
    slice: Slice,
    signal: AbortSignal,
    onPrefix: (prefix: EncodedFrame) => void,
  ): Promise<EncodedFrame> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await source.readFrame(slice, {
          isUrgent: seen.isSeen(slice.key),
          signal,
          onPrefix,
        });
      } catch (error) {
        const waitMs = waitsMs[attempt];
        if (signal.aborted || waitMs === undefined || error instanceof SourceEnded) throw error;
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  return {
    focus(slices, index, towards = 0) {
      const before = seen.slice;
      const isOtherStack = seen.move(slices, index, towards);
      if (seen.slice !== before) crowdedOut.clear();
      if (isOtherStack) {
        failures.clear();
        lastFrameBytes = 0;
      }
      coarse.keepOnly(seen.slice?.key);
      pump();
      askAgainLater();
    },
    frame: ({ key }) => cache.get(key) ?? coarse.of(key),
    isCoarse: ({ key }) => coarse.of(key) !== undefined && !cache.get(key),
    failure: ({ key }) => failures.get(key),
    retry({ key }) {
      failures.delete(key);
      again.add(key);
      onChange(key);
      pump();
    },
    get sizeBytes() {
      return cache.sizeBytes;
    },
    close() {
      isClosed = true;
      clearTimeout(askingAgain);
      for (const controller of running.values()) controller.abort();
      cache.clear();
    },
  };
}

function failureOf(error: unknown): FrameFailure {
  if (error instanceof NoPicture) return error.failure;
  if (error instanceof SourceDamaged) return "damaged";
  return error instanceof SourceEnded ? "ended" : "lost";
}
