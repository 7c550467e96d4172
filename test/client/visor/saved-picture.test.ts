import "../../support/client/dom-globals.ts";
import { afterEach, expect, spyOn, test } from "bun:test";
import { activateLocale, i18n } from "../../../src/client/i18n.ts";
import type { Measure } from "../../../src/client/visor/core/measures.ts";
import { savedPicture } from "../../../src/client/visor/view/saved-picture.ts";
import type { Visor } from "../../../src/client/visor/view/use-visor.ts";
import { withDom } from "../../support/client/dom.ts";

withDom();

let asked: string[] = [];
let hasMemory = true;
afterEach(() => {
  asked = [];
  hasMemory = true;
});

/** Notes what is drawn on any canvas; the DOM of the tests draws nothing. */
function penOfTest(): CanvasRenderingContext2D {
  const note =
    (name: string) =>
    (...given: unknown[]) => {
      asked.push(
        [name, ...given.map((one) => (one instanceof HTMLCanvasElement ? one.title : one))].join(" "),
      );
    };
  return new Proxy({} as CanvasRenderingContext2D, {
    get: (pen, name) => Reflect.get(pen, name) ?? note(String(name)),
    set: (pen, name, value) => Reflect.set(pen, name, value),
  });
}

function canvasNamed(title: string, { width = 0, step = 1 } = {}): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { title, width: 2 * width, height: 2 * width });
  canvas.dataset.step = String(step);
  Object.defineProperty(canvas, "clientWidth", { value: width });
  Object.defineProperty(canvas, "clientHeight", { value: width });
  return canvas;
}

const LENGTH: Measure = {
  kind: "length",
  sliceKey: "1/0",
  points: [
    { x: 0, y: 0 },
    { x: 30, y: 40 },
  ],
};
const REGION: Measure = {
  kind: "region",
  sliceKey: "1/0",
  points: [
    { x: 10, y: 10 },
    { x: 30, y: 20 },
  ],
};

interface Seen {
  measures?: Measure[];
  overlays?: HTMLCanvasElement | null;
  failure?: string;
  /** The image that the film has, if it is not the one that was drawn last. */
  onFilm?: string;
}

async function saved({ measures = [], overlays = null, failure, onFilm = "1/0" }: Seen) {
  await activateLocale("pt-BR");
  const pen = spyOn(HTMLCanvasElement.prototype, "getContext").mockImplementation((() =>
    hasMemory ? penOfTest() : null) as HTMLCanvasElement["getContext"]);
  const film = canvasNamed("film", { width: 200 });
  film.dataset.slice = onFilm;
  const slice = {
    key: "1/0",
    frameIndex: 0,
    metadata: {},
    geometry: { spacing: { rows: 0.5, columns: 0.5 } },
  };
  const frame = { kind: "colour", rows: 1, columns: 1, bytes: new Uint8Array(3) };
  const shown = { slice, pixels: { rows: 1, columns: 1, pixelAspect: 1 }, picture: { frame } };
  const placement = { a: 2, b: 0, c: 0, d: 2, e: 5, f: 7 };
  const about = { study: { title: "Tórax", detail: "Maria da Silva" }, isCoarse: false };
  const seen = { shown, placement, measures, failure, ...about };
  const visor = { ...seen, canvas: { current: film }, overlays: { current: overlays } } as unknown as Visor;
  const picture = savedPicture(visor, i18n);
  pen.mockRestore();
  return { picture, film };
}

test("a saved picture is the film alone where nothing is drawn over it", async () => {
  const { picture, film } = await saved({ measures: [{ ...LENGTH, sliceKey: "2/0" }] });
  expect(picture === film).toBe(true);
  const failed = await saved({ measures: [LENGTH], failure: "damaged" });
  expect(failed.picture === failed.film).toBe(true);
});

test("a saved picture has the overlays and the measures of its image as they are seen, at the film's own sharpness", async () => {
  const overlays = canvasNamed("overlays", { step: 3 });
  const { picture, film } = await saved({ measures: [LENGTH, REGION], overlays });
  expect(picture === film).toBe(false);
  expect([picture?.width, picture?.height]).toEqual([400, 400]);
  const at = (what: string) => asked.indexOf(what);
  expect(at("drawImage film 0 0")).toBe(0);
  expect(at("setTransform 12 0 0 12 10 14")).toBe(at("drawImage overlays 0 0") - 1);
  expect(at("setTransform 2 0 0 2 0 0")).toBeGreaterThan(at("drawImage overlays 0 0"));
  expect(asked).toContain("lineTo 65 87");
  expect(asked).toContain(`ellipse 45 37 20 10 0 0 ${2 * Math.PI}`);
  expect(
    asked.filter((what) => what.startsWith("fillText")).map((what) => what.split(" ").slice(1, 3)),
  ).toEqual([
    ["25", "mm"],
    ["39,3", "mm²"],
  ]);
});

test("a saved picture has nothing over a film that shows another image, as while it is played", async () => {
  const overlays = canvasNamed("overlays");
  const { picture, film } = await saved({ measures: [LENGTH, REGION], overlays, onFilm: "2/0" });
  expect(picture === film).toBe(true);
  expect(asked).toEqual([]);
});

test("a saved picture names nobody", async () => {
  await saved({ measures: [LENGTH, REGION], overlays: canvasNamed("overlays") });
  expect(asked.join("\n")).not.toMatch(/Maria|Tórax/);
});

test("there is no saved picture where the browser has no memory for it", async () => {
  hasMemory = false;
  const { picture } = await saved({ measures: [LENGTH] });
  expect(picture === undefined).toBe(true);
});
