import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { act, useState } from "react";
import type { Gesture } from "../../../src/client/visor/core/gestures.ts";
import { useFilmGestures } from "../../../src/client/visor/view/use-film-gestures.ts";
import { useMeasures } from "../../../src/client/visor/view/use-measures.ts";
import { changeSettings, FIRST_SETTINGS } from "../../../src/client/visor/view/view-settings.ts";
import { withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

interface Film {
  gesture: (gesture: Gesture) => void;
  lengths: number[][];
  why: string | undefined;
  show(isShown: boolean): void;
}

const SETTINGS = changeSettings(FIRST_SETTINGS, { tool: "length" });

/** A film whose image can come and go, drawn on with the tool for lengths. */
function Drawn({ film }: { film: Film }) {
  const [isShown, setShown] = useState(true);
  const { measures, refused, ...measuring } = useMeasures("length");
  const options = {
    model: { state: { stack: { slices: [{ key: "1/0" }] }, index: 0 } },
    settings: SETTINGS,
    placement: { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 },
    shown: isShown ? { slice: { key: "1/0" } } : undefined,
    measuring,
  };
  const { onGesture } = useFilmGestures(options as unknown as Parameters<typeof useFilmGestures>[0]);
  Object.assign(film, {
    show: (now: boolean) => act(() => setShown(now)),
    gesture: (gesture: Gesture) => act(() => onGesture(gesture)),
    lengths: measures.map(({ points }) => points.map(({ x }) => x)),
    why: refused?.why,
  });
  return null;
}

async function openFilm(): Promise<Film> {
  const film = {} as Film;
  await renderClient(<Drawn film={film} />);
  return film;
}

const stroke = (from: number, to: number, isNew: boolean): Gesture => ({
  type: "stroke",
  from: { x: from, y: 0 },
  to: { x: to, y: 0 },
  isNew,
});

test("a stroke that begins before its image is drawn once that is there, and what was drawn stays", async () => {
  const film = await openFilm();
  film.gesture(stroke(1, 2, true));
  film.show(false);
  film.gesture(stroke(5, 6, true));
  expect(film.lengths).toEqual([[1, 2]]);
  expect(film.why).toBe("waiting");
  film.show(true);
  film.gesture(stroke(5, 8, false));
  expect(film.lengths).toEqual([
    [1, 2],
    [5, 8],
  ]);
  expect(film.why).toBeUndefined();
});

test("a stroke that is dropped before its image came takes nothing with it", async () => {
  const film = await openFilm();
  film.gesture(stroke(1, 2, true));
  film.show(false);
  film.gesture(stroke(5, 6, true));
  film.gesture({ type: "strokeDropped" });
  expect(film.lengths).toEqual([[1, 2]]);
});

test("the measure after the 200th is refused, and none is lost", async () => {
  const film = await openFilm();
  for (let x = 0; x < 200; x++) film.gesture(stroke(x, x + 1, true));
  expect(film.why).toBeUndefined();
  film.gesture(stroke(199, 250, false));
  expect(film.lengths).toHaveLength(200);
  expect(film.why).toBeUndefined();
  film.gesture(stroke(300, 301, true));
  film.gesture({ type: "tap", at: { x: 1, y: 1 } });
  expect(film.why).toBe("full");
  expect(film.lengths).toHaveLength(200);
  expect(film.lengths[0]).toEqual([0, 1]);
});
