import "../../support/dom-globals.ts";
import { expect, jest, test } from "bun:test";
import type { Stack } from "../../../src/client/visor/core/stacks.ts";
import { type Cine, useCine } from "../../../src/client/visor/view/use-cine.ts";
import { act, cleanup, withDom } from "../../support/dom.ts";
import { renderClient } from "../../support/render-client.tsx";

withDom();

interface FilmProps {
  stack: Stack;
  next(): void;
  onCine(cine: Cine): void;
}

function Film({ stack, next, onCine }: FilmProps) {
  onCine(useCine(stack, { next, isReady: () => true }));
  return null;
}

/** How many frames have gone by two seconds after the person asked a stack to play. */
async function playedOf(framesPerSecond: number | undefined) {
  const stack = { framesPerSecond, slices: [{}, {}, {}] } as unknown as Stack;
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
    act(() => {
      jest.advanceTimersByTime(2_000);
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
