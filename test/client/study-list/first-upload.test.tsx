import "../../support/client/dom-globals.ts";
import { afterEach, expect, test } from "bun:test";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { getDefaultStore } from "jotai";
import { StartPanel } from "../../../src/client/features/home/start-panel.tsx";
import StudyListView from "../../../src/client/features/study-list/study-list-view.tsx";
import { EMPTY_FORM } from "../../../src/client/features/upload/exam-form/exam-form.ts";
import { accountUploadsQuery } from "../../../src/client/features/upload/tray/account-uploads.ts";
import type { JobState } from "../../../src/client/features/upload/tray/upload-job.ts";
import {
  addJobAtom,
  changeJobAtom,
  clearJobsAtom,
} from "../../../src/client/features/upload/tray/upload-jobs.ts";
import { act, screen, withDom } from "../../support/client/dom.ts";
import { type Answer, answerCalls, helena, renderView } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";
import { listOf, showList } from "../../support/client/study-list.tsx";

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
  expect((await screen.findByText(/50\s%/)).closest(".first-upload")).toBeTruthy();
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

/** The list is empty at first, and read again once `arrive` is called. */
function listInTime() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const [before, after] = [listOf([]), listOf([skull])].map((answers) => answers["GET /api/studies"]);
  let reads = 0;
  const read: Answer = async (call) => {
    if (reads++ === 0) return (await before?.(call)) as Response;
    await promise;
    return (await after?.(call)) as Response;
  };
  return { answers: { ...listOf([]), "GET /api/studies": read }, arrive: resolve };
}

test("nobody is told that there is no exam while the list is read that has the first one", async () => {
  const { answers, arrive } = listInTime();
  await showList(answers);
  await begin(half);
  const answer = {
    ...{ studyInstanceUID: "2.25.1", studies: [], instancesReceived: 1 },
    ...{ skipped: [], skippedCount: 0, conflicts: [], conflictCount: 0 },
  };
  await act(async () => store.set(changeJobAtom, "j1", { state: { stage: "done", answer } }));
  expect(titles()).toEqual(["Um envio está em andamento"]);
  await act(async () => arrive());
  expect((await screen.findAllByText(/Tomografia de crânio/)).length).toBeGreaterThan(0);
});

function Client({ onClient }: { onClient: (client: QueryClient) => void }) {
  onClient(useQueryClient());
  return null;
}

test("the empty list shows an exam that another page sent once it is kept", async () => {
  const { answers, arrive } = listInTime();
  answerCalls(answers);
  let client: QueryClient | undefined;
  await renderView(
    <>
      <StudyListView />
      <Client
        onClient={(of) => {
          client = of;
        }}
      />
    </>,
  );
  await screen.findByText("Nenhum exame por aqui ainda");
  const tell = (uploads: object[]) =>
    act(async () => void client?.setQueryData(accountUploadsQuery(helena.id).queryKey, uploads as never));
  const expiresAt = new Date(Date.now() + 7 * 24 * 3600_000).toISOString();
  await tell([{ id: "u1", state: "receiving", offset: 1, sizeBytes: 2, expiresAt }]);
  expect(titles()).toEqual(["Um envio está em andamento"]);
  await tell([]);
  expect(titles()).toEqual(["Um envio está em andamento"]);
  await act(async () => arrive());
  expect((await screen.findAllByText(/Tomografia de crânio/)).length).toBeGreaterThan(0);
});
