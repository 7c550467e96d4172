import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { SeriesList } from "../../../src/client/visor/view/series-list.tsx";
import type { Visor } from "../../../src/client/visor/view/use-visor.ts";
import type { Locale } from "../../../src/shared/locale.ts";
import { cleanup, screen, withDom } from "../../support/client/dom.ts";
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

test("a series of one image is named so, in both languages", async () => {
  expect(await namesIn("pt-BR")).toEqual(["Axial, 1 imagem", "Axial, 2 imagens"]);
  expect(await namesIn("en-US")).toEqual(["Axial, 1 image", "Axial, 2 images"]);
});
