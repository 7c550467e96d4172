import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import type { SeriesEntry } from "../../../src/client/visor/core/series-stacks.ts";
import type { DocumentRecord } from "../../../src/client/visor/core/source.ts";
import { DocumentList } from "../../../src/client/visor/view/document-list.tsx";
import type { Locale } from "../../../src/shared/locale.ts";
import { cleanup, screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";

withDom();

const series = {
  ...{ studyInstanceUID: "2.25.1", seriesInstanceUID: "2.25.2", seriesNumber: 8 },
  ...{ modality: "DOC", description: "", instanceCount: 4 },
};
const named: [string, DocumentRecord["kind"], string][] = [
  ["1", "pdf", "Densitometria"],
  ["2", "pdf", "Densitometria"],
  ["3", "report", "Dose"],
  ["4", "pdf", ""],
];
const documents = named.map(([key, kind, title]) => ({ key, kind, title, series, sopInstanceUID: key }));
const entries: SeriesEntry[] = [{ series, state: "ready", stacks: [], documents }];

async function namesIn(locale: Locale, onOpen: (key: string) => void = () => undefined) {
  await renderClient(<DocumentList entries={entries} kind="strip" shown="3" onOpen={onOpen} />, locale);
  return screen.getAllByRole("button").map((item) => item.getAttribute("aria-label"));
}

test("documents are named by what they are and what they are called, and of several of one name by their places", async () => {
  const opened: string[] = [];
  const portuguese = await namesIn("pt-BR", (key) => opened.push(key));
  expect(portuguese).toEqual([
    "Documento PDF: Densitometria (1)",
    "Documento PDF: Densitometria (2)",
    "Relatório estruturado: Dose",
    "Documento PDF",
  ]);
  const second = screen.getByRole("button", { name: "Documento PDF: Densitometria (2)" });
  await userEvent.setup().click(second);
  expect(opened).toEqual(["2"]);
  expect(screen.getByRole("button", { current: true }).getAttribute("aria-label")).toContain("Dose");
  cleanup();
  expect(await namesIn("en-US")).toEqual([
    "PDF document: Densitometria (1)",
    "PDF document: Densitometria (2)",
    "Structured report: Dose",
    "PDF document",
  ]);
});
