import "../../support/client/dom-globals.ts";
import { expect, jest, test } from "bun:test";
import { useState } from "react";
import type { Stack } from "../../../src/client/visor/core/stacks.ts";
import { type Cine, useCine } from "../../../src/client/visor/view/use-cine.ts";
import { act, cleanup, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

interface FilmProps {
  stack: Stack;
  next(): void;
  onCine(cine: Cine): void;
}

function Film({ stack, next, onCine }: FilmProps) {
  const [index, setIndex] = useState(0);
  const count = stack.slices.length;
  const step = () => {
    setIndex((now) => (now + 1) % count);
    next();
  };
  onCine(useCine(stack, { index, next: step, isReady: () => true }));
  return null;
}

/** How many frames have gone by two seconds after the person asked a stack to play. */
async function playedOf(framesPerSecond: number | undefined, frameTimesMs?: number[]) {
  const stack = { framesPerSecond, frameTimesMs, slices: [{}, {}, {}] } as unknown as Stack;
  let cine: Cine | undefined;
  let frames = 0;
  const next = () => frames++;
  const onCine = (told: Cine) => {
    cine = told;
  };
  jest.useFakeTimers();
  try {
    await renderClient(<Film stack={stack} next={next} onCine={onCine} />, "pt-BR");
    act(() => cine?.setPlaying(true));
    // In steps, since a frame is timed once the one before it was drawn.
    for (let ms = 0; ms < 2_000; ms += 50)
      act(() => {
        jest.advanceTimersByTime(50);
      });
    return { frames, isPlaying: cine?.isPlaying };
  } finally {
    cleanup();
    jest.useRealTimers();
  }
}

test("the Space bar plays a film, and leaves slices, which have nothing that could stop them, where they are", async () => {
  expect(await playedOf(10)).toEqual({ frames: 20, isPlaying: true });
  expect(await playedOf(undefined)).toEqual({ frames: 0, isPlaying: false });
});

test("frames of different lengths are each shown as long as their own", async () => {
  // 100 + 800 + 300 ms a round: the second round shows its second frame from 1,300 ms to 2,100.
  expect(await playedOf(5, [100, 800, 300])).toEqual({ frames: 4, isPlaying: true });
});
