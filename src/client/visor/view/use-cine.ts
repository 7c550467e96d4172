import { useEffect, useEffectEvent, useState } from "react";
import type { Stack } from "../core/stacks.ts";

export interface Cine {
  isPlaying: boolean;
  rate: number;
  setPlaying(isPlaying: boolean): void;
  setRate(rate: number): void;
}

const MAX_RATE = 60;

/** Plays the frames of a film, each when it is due and has come. A film plays when it opens unless the person wants less motion. */
export function useCine(
  stack: Stack | undefined,
  { next, isReady }: { next: () => void; isReady: () => boolean },
): Cine {
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
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => step(), 1000 / rate);
    return () => clearInterval(timer);
  }, [isRunning, rate]);
  return {
    isPlaying: isRunning,
    rate,
    setPlaying,
    setRate: (wanted) => setRate(Math.min(MAX_RATE, Math.max(1, wanted))),
  };
}
