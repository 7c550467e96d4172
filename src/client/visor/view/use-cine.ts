import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { Stack } from "../core/stacks.ts";

export interface Cine {
  isPlaying: boolean;
  rate: number;
  setPlaying(isPlaying: boolean): void;
  setRate(rate: number): void;
}

interface Film {
  /** Of the frame that is shown. */
  index: number;
  next(): void;
  isReady(): boolean;
}

const MAX_RATE = 60;
const RETRY_MS = 20;

/** Plays the frames of a film, each when it is due and has come. A film plays when it opens unless the person wants less motion. */
export function useCine(stack: Stack | undefined, { index, next, isReady }: Film): Cine {
  const isFilm = stack?.framesPerSecond !== undefined && stack.slices.length > 1;
  const [isPlaying, setPlaying] = useState(false);
  const [rate, setRate] = useState(stack?.framesPerSecond ?? 1);
  useEffect(() => {
    setRate(stack?.framesPerSecond ?? 1);
    setPlaying(isFilm && !matchMedia("(prefers-reduced-motion: reduce)").matches);
  }, [stack, isFilm]);
  const step = useEffectEvent(() => {
    if (isReady()) next();
  });
  const isRunning = isPlaying && isFilm;
  const times = stack?.frameTimesMs;
  useEffect(() => {
    if (!isRunning || times) return;
    const timer = setInterval(() => step(), 1000 / rate);
    return () => clearInterval(timer);
  }, [isRunning, rate, times]);
  const ownMs = times?.[index] ?? 0;
  const frameMs = (ownMs * (stack?.framesPerSecond ?? 1)) / rate;
  const dueAt = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each frame is timed from its own beginning
  useEffect(() => {
    if (!isRunning || !times) return;
    const now = performance.now();
    // Drawing took a part of its time.
    const late = now - dueAt.current;
    dueAt.current = (late >= 0 && late < frameMs ? dueAt.current : now) + frameMs;
    let timer = setTimeout(function due() {
      timer = setTimeout(due, RETRY_MS);
      step();
    }, dueAt.current - now);
    return () => clearTimeout(timer);
  }, [isRunning, times, frameMs, index]);
  return {
    isPlaying: isRunning,
    rate,
    setPlaying,
    setRate: (wanted) => setRate(Math.min(MAX_RATE, Math.max(1, wanted))),
  };
}
