import "../../support/dom-globals.ts";
import { afterEach, expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { StartPanel } from "../../../src/client/features/home/start-panel.tsx";
import { EMPTY_FORM } from "../../../src/client/features/upload/exam-form/exam-form.ts";
import type { JobState } from "../../../src/client/features/upload/tray/upload-job.ts";
import {
  addJobAtom,
  changeJobAtom,
  clearJobsAtom,
} from "../../../src/client/features/upload/tray/upload-jobs.ts";
import { act, screen, withDom } from "../../support/dom.ts";
import { renderView } from "../../support/render-view.tsx";
import { listOf, showList } from "../../support/study-list.tsx";

withDom();

const store = getDefaultStore();
afterEach(() => store.set(clearJobsAtom));

const half = { stage: "sending", transfer: { loadedBytes: 1, totalBytes: 2 } } as const;
const stopped = { stage: "stopped", percent: 50, interruption: { kind: "refused", text: "Não." } } as const;

const upload = {
  ...{ zip: new Blob(["PK"]), fileName: "exame.zip", prefilled: undefined, contents: undefined },
  ...{ fileCount: 1, keptCount: 1, films: [], dispose: async () => {} },
};

/** An upload of this page that is as `state` says. */
const begin = (state: JobState) =>
  act(async () => {
    const source = { kind: "zip", name: "exame.zip", sizeBytes: 2 } as const;
    store.set(addJobAtom, { id: "j1", source, counts: {}, upload, form: EMPTY_FORM, state });
  });

const titles = () => screen.getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent);

test("the empty list tells of the first upload while it is under way, and how far it is", async () => {
  await showList(listOf([]));
  await screen.findByText("Nenhum exame por aqui ainda");
  await begin(half);
  expect(titles()).toEqual(["Um envio está em andamento"]);
  expect(document.querySelector(".first-upload")?.textContent).toMatch(/50\s%/);
  expect(screen.queryByRole("button", { name: "Enviar primeiro exame" })).toBeNull();
  expect(screen.getByRole("button", { name: "Enviar outro exame" })).toBeDefined();
  await act(async () => store.set(changeJobAtom, "j1", { state: stopped }));
  expect(titles()).toEqual(["Um envio está parado"]);
  await act(async () => store.set(clearJobsAtom));
  expect(titles()).toEqual(["Nenhum exame por aqui ainda"]);
});

test("the first visit tells of an upload under way in the place of the steps that lead to it", async () => {
  await renderView(<StartPanel />, {});
  expect(screen.getAllByRole("listitem").length).toBe(3);
  await begin(half);
  expect(titles()).toEqual(["Um envio está em andamento"]);
  expect(screen.queryAllByRole("listitem")).toEqual([]);
  expect(screen.getByRole("button", { name: "Enviar outro exame" })).toBeDefined();
});
