import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { useRef, useState } from "react";
import { pixelAt, stepped, wayIntoView } from "../../../src/client/visor/core/crosshair.ts";
import { type Measure, withoutPoint } from "../../../src/client/visor/core/measures.ts";
import {
  NO_TURN,
  type Point,
  placementOf,
  toScreen,
  type ViewTurn,
} from "../../../src/client/visor/draw/placement.ts";
import { useCrosshair } from "../../../src/client/visor/view/use-crosshair.ts";
import { useMeasures } from "../../../src/client/visor/view/use-measures.ts";
import type { ShownPicture } from "../../../src/client/visor/view/use-picture.ts";
import type { Visor } from "../../../src/client/visor/view/use-visor.ts";
import { useVisorKeys } from "../../../src/client/visor/view/use-visor-keys.ts";
import type { Tool } from "../../../src/client/visor/view/view-settings.ts";
import { userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

const image = { columns: 100, rows: 50 };
const film = { width: 400, height: 400 };
const stage = { ...image, ...film, pixelAspect: 1 };
const RIGHT = { x: 1, y: 0 };
const DOWN = { x: 0, y: 1 };

describe("the crosshair", () => {
  test("is in the middle of a pixel of the image", () => {
    expect(pixelAt({ x: 3.2, y: 49.9 }, image)).toEqual({ x: 3.5, y: 49.5 });
    expect(pixelAt({ x: -7, y: 50 }, image)).toEqual({ x: 0.5, y: 49.5 });
  });

  test("goes where the arrow points on the screen, by whole pixels, however the picture is turned", () => {
    for (const quarters of [0, 1, 2, 3])
      for (const isFlipped of [false, true])
        for (const towards of [RIGHT, DOWN])
          for (const isFine of [false, true]) {
            const placement = placementOf({ ...NO_TURN, quarters, isFlipped }, stage);
            const at = { x: 50.5, y: 25.5 };
            const to = stepped(at, { towards, isFine }, placement, image);
            const [from, seen] = [toScreen(placement, at), toScreen(placement, to)];
            const pixels = Math.abs(to.x - at.x) + Math.abs(to.y - at.y);
            const scale = Math.hypot(placement.a, placement.b);
            expect(pixels).toBe(isFine ? 1 : Math.round(10 / scale));
            expect(seen.x - from.x).toBeCloseTo(towards.x * pixels * scale);
            expect(seen.y - from.y).toBeCloseTo(towards.y * pixels * scale);
          }
  });

  test("goes by a pixel at least, and stays in the image", () => {
    const near = placementOf({ ...NO_TURN, zoom: 20 }, stage);
    const right = { towards: RIGHT, isFine: false };
    expect(stepped({ x: 5.5, y: 5.5 }, right, near, image)).toEqual({ x: 6.5, y: 5.5 });
    expect(stepped({ x: 99.5, y: 5.5 }, right, near, image)).toEqual({ x: 99.5, y: 5.5 });
  });

  test("has the picture follow it to the edge of the film", () => {
    expect(wayIntoView({ x: 200, y: 100 }, film)).toEqual({ x: 0, y: 0 });
    expect(wayIntoView({ x: 390, y: -50 }, film)).toEqual({ x: -22, y: 82 });
  });
});

test("a point is taken back before a whole measure is", () => {
  const whole: Measure = { kind: "length", sliceKey: "a", points: [RIGHT, DOWN] };
  const angle: Measure = { kind: "angle", sliceKey: "a", points: [RIGHT, DOWN] };
  const less = withoutPoint([whole, angle], "a");
  expect(less).toEqual([whole, { ...angle, points: [RIGHT] }]);
  expect(withoutPoint(less, "a")).toEqual([whole]);
  expect(withoutPoint([whole], "a")).toEqual([]);
  expect(withoutPoint([whole], "b")).toEqual([whole]);
});

interface Seen {
  at?: Point | undefined;
  seen: Measure[];
  measures: Measure[];
  turns: ViewTurn[];
  others: string[];
}

/** A film of 400 × 400 with an image of 100 × 50 on it, and what keys do there. */
function Place({ tool, into }: { tool: Tool; into: Seen }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { measures, refused: _, ...measuring } = useMeasures(tool);
  const [turn, setTurn] = useState(NO_TURN);
  const placement = placementOf(turn, stage);
  const shown = { slice: { key: "a" }, picture: { frame: image } } as unknown as ShownPicture;
  const turnBy = (move: (turn: ViewTurn) => ViewTurn) => setTurn(move);
  const crosshair = useCrosshair({ canvas, tool, shown, placement, turnBy, measures, measuring });
  const tell = (what: string) => () => void into.others.push(what);
  const visor = {
    settings: { tool },
    presets: [],
    ownVois: [],
    crosshair,
    model: { state: { index: 0 }, seek: tell("seek"), turn: tell("series") },
    cine: { setPlaying: tell("cine") },
    removePoint: () => measuring.removePoint("a"),
    zoomBy: tell("zoom"),
  };
  useVisorKeys(visor as unknown as Visor, {} as Parameters<typeof useVisorKeys>[1]);
  Object.assign(into, { at: crosshair.at, seen: crosshair.seen, measures });
  into.turns.push(turn);
  return (
    <div role="application" tabIndex={-1}>
      <canvas
        ref={(element) => {
          canvas.current = element;
          if (element) element.getBoundingClientRect = () => ({ ...film, left: 0, top: 0 }) as DOMRect;
        }}
      />
      <button type="button">tool</button>
    </div>
  );
}

async function placed(tool: Tool): Promise<Seen> {
  const into: Seen = { seen: [], measures: [], turns: [], others: [] };
  await renderClient(<Place tool={tool} into={into} />);
  return into;
}

test("keys draw a length: Enter shows the crosshair in the middle, arrows move it, and Enter sets each point", async () => {
  const into = await placed("length");
  expect(document.activeElement?.getAttribute("role")).toBe("application");
  await userEvent.keyboard("{ArrowRight}");
  expect(into.others.splice(0)).toEqual(["series"]);
  await userEvent.keyboard("{Enter}");
  expect(into.at).toEqual({ x: 50.5, y: 25.5 });
  await userEvent.keyboard("{Enter}{ArrowRight}{ArrowRight}{Shift>}{ArrowDown}{/Shift}");
  expect(into.at).toEqual({ x: 56.5, y: 26.5 });
  expect(into.measures).toMatchObject([{ points: [{ x: 50.5, y: 25.5 }] }]);
  expect(into.seen).toMatchObject([{ points: [{ x: 50.5, y: 25.5 }, into.at] }]);
  await userEvent.keyboard(" ");
  expect(into.measures).toMatchObject([{ points: [{ x: 50.5, y: 25.5 }, into.at] }]);
  await userEvent.keyboard("{Backspace}");
  expect(into.measures).toEqual([]);
  await userEvent.keyboard("{Escape}");
  expect(into.at).toBeUndefined();
  expect(into.others).toEqual([]);
});

test("the picture follows the crosshair", async () => {
  const into = await placed("probe");
  await userEvent.keyboard(`{Enter}${"{ArrowRight}".repeat(16)}`);
  expect(into.at?.x).toBe(98.5);
  expect(into.turns.at(-1)?.panX).toBeLessThan(0);
});

test("without a tool that measures, the keys do what they always did", async () => {
  const into = await placed("scroll");
  await userEvent.keyboard("{ArrowDown}{ArrowRight} ");
  expect(into.at).toBeUndefined();
  expect(into.others).toEqual(["cine", "seek", "series", "cine"]);
});
