import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { SeriesList } from "../../../src/client/visor/view/series-list.tsx";
import type { Visor } from "../../../src/client/visor/view/use-visor.ts";
import type { Locale } from "../../../src/shared/locale.ts";
import { act, cleanup, screen, waitFor, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

function listed(instanceCounts: number[]): Visor {
  const entries = instanceCounts.map((instanceCount, at) => ({
    state: "waiting",
    stacks: [],
    documents: [],
    series: {
      seriesInstanceUID: `1.${at}`,
      description: "Axial",
      modality: "CT",
      seriesNumber: at,
      instanceCount,
    },
  }));
  return { entries } as unknown as Visor;
}

async function namesIn(locale: Locale, visor = listed([1, 2])): Promise<(string | null)[]> {
  await renderClient(
    <SeriesList
      visor={visor}
      picture={undefined}
      kind="strip"
      documents={undefined}
      onDocument={() => undefined}
    />,
    locale,
  );
  const names = screen.getAllByRole("button").map((item) => item.getAttribute("aria-label"));
  cleanup();
  return names;
}

test("the stacks of a diffusion series are named by their b-values", async () => {
  const visor = listed([4]);
  const [entry] = visor.entries;
  if (!entry) throw new Error("no series");
  const stacks = [0, 1000].map((bValue) => ({ key: `b${bValue}`, slices: [1, 2], bValue }));
  const split = { ...visor, entries: [{ ...entry, state: "ready", stacks }] } as unknown as Visor;
  expect(await namesIn("pt-BR", split)).toEqual(["Axial · b 0, 2 imagens", "Axial · b 1000, 2 imagens"]);
});

test("each stack of a series shows an image of its own, and the picture of the series until then or where data is saved", async () => {
  const observers: IntersectionObserverCallback[] = [];
  const { IntersectionObserver: before } = globalThis;
  globalThis.IntersectionObserver = class {
    constructor(tell: IntersectionObserverCallback) {
      observers.push(tell);
    }
    observe() {}
    disconnect() {}
  } as unknown as typeof IntersectionObserver;
  const decoded: string[] = [];
  const slicesOf = (uid: string) => [1, 2, 3].map((at) => ({ sopInstanceUID: `${uid}.${at}`, metadata: {} }));
  const stacks = [0, 1000].map((bValue) => ({ key: `b${bValue}`, slices: slicesOf(`b${bValue}`), bValue }));
  const drawing = {
    source: { readFrame: async ({ sopInstanceUID }: { sopInstanceUID: string }) => sopInstanceUID },
    decode: async (encoded: string) => {
      decoded.push(encoded);
      return { kind: "colour", rows: 1, columns: 2, bytes: new Uint8Array(6) };
    },
    whenFree: async () => undefined,
    signal: new AbortController().signal,
  };
  const entries = listed([6]).entries.map((entry) => ({ ...entry, state: "ready", stacks }));
  const props = { kind: "strip", documents: undefined, onDocument: () => undefined } as const;
  await renderClient(
    <SeriesList
      visor={{ entries, drawing } as unknown as Visor}
      picture={({ seriesInstanceUID }) => <i>{seriesInstanceUID}</i>}
      {...props}
    />,
  );
  const pictures = () => [...document.querySelectorAll<HTMLCanvasElement>("canvas")];
  expect([document.querySelectorAll("i").length, pictures().length]).toEqual([2, 0]);
  await waitFor(() => expect(observers).toHaveLength(2));
  expect(decoded).toEqual([]);
  const seen = [{ isIntersecting: true }] as IntersectionObserverEntry[];
  const saving = { value: { saveData: true }, configurable: true };
  Object.defineProperty(navigator, "connection", saving);
  await act(async () => observers[0]?.(seen, {} as IntersectionObserver));
  Reflect.deleteProperty(navigator, "connection");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(decoded).toEqual([]);
  await act(async () => observers[1]?.(seen, {} as IntersectionObserver));
  await waitFor(() => expect(pictures()).toHaveLength(1));
  expect(document.querySelectorAll("i")).toHaveLength(1);
  expect(decoded).toEqual(["b1000.2"]);
  globalThis.IntersectionObserver = before;
  cleanup();
});

test("a series of one image is named so, in both languages", async () => {
  expect(await namesIn("pt-BR")).toEqual(["Axial, 1 imagem", "Axial, 2 imagens"]);
  expect(await namesIn("en-US")).toEqual(["Axial, 1 image", "Axial, 2 images"]);
});
