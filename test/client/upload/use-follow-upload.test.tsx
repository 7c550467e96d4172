import { openAtom, type ViewName, viewAtom } from "../../../src/client/features/places/views.ts";
import { useMySubscription } from "../../../src/client/features/session/use-my-subscription.ts";
import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { useUsageStats } from "../../../src/client/features/plan/use-subscription.ts";
import { noFilters } from "../../../src/client/features/study-list/filters/study-filters.ts";
import { useStudyList } from "../../../src/client/features/study-list/pages/use-study-list.ts";
import { useFollowUpload } from "../../../src/client/features/upload/follow/use-follow-upload.ts";
import { showToast } from "../../../src/client/ui/toast.tsx";
import type { Locale } from "../../../src/shared/locale.ts";
import { act, fireEvent, screen, withDom } from "../../support/client/dom.ts";
import { pass, settled, withFakeClock } from "../../support/client/fake-clock.ts";
import { answerCalls, problem, renderView, shownView } from "../../support/client/render-view.tsx";

withDom();
withFakeClock("2026-11-21T12:00:00.000Z");

const LIST = "GET /api/studies";
const SUBSCRIPTION = "GET /api/subscriptions/my-subscription";
const USAGE = "GET /api/subscriptions/usage-stats";

/** A page that shows the list and the plan, and an upload that has just finished. */
function Uploaded() {
  useStudyList(noFilters, { sort: "studyDate", order: "desc" }, 0);
  useMySubscription({ enabled: true });
  useUsageStats({ enabled: true });
  const follow = useFollowUpload();
  const study = { id: "s1", studyInstanceUID: "2.25.1", imagesReceived: 1, duplicates: 0 };
  const answer = { studyInstanceUID: "2.25.1", studies: [study], instancesReceived: 1 };
  const told = { skipped: [], skippedCount: 0, conflicts: [], conflictCount: 0 };
  const begin = () => void follow({ ...answer, ...told }, new AbortController().signal);
  return (
    <button type="button" onClick={begin}>
      Enviar
    </button>
  );
}

/** The answers of the status calls in order; the last one repeats. */
async function upload(statuses: string[], locale?: Locale, from: ViewName = "uploadExames") {
  const left = [...statuses];
  const none = () => problem(404, "subscription.not_found", "x");
  const calls = answerCalls({
    [LIST]: () => Response.json([]),
    [SUBSCRIPTION]: none,
    [USAGE]: none,
    "GET /api/studies/s1/status": () => {
      const status = left.length > 1 ? left.shift() : left[0];
      return status === "unreadable"
        ? problem(503, "store.unavailable", "x")
        : Response.json({ status, isReady: status === "b2" });
    },
  });
  await renderView(<Uploaded />, { locale, open: (store) => store.set(viewAtom, from) });
  await settled();
  calls.length = 0;
  fireEvent.click(screen.getByRole("button", { name: "Enviar" }));
  await settled();
  await settled();
  return calls;
}

/** Tone, title and text of the current toast. */
function told(): (string | null | undefined)[] {
  const toast = document.querySelector(".toast");
  const texts = [...(toast?.querySelectorAll(".toast-title, .toast-text") ?? [])];
  return [toast?.className.split("is-")[1], ...texts.map(({ textContent }) => textContent)];
}

test("everything that an upload changed is read again before any news of it", async () => {
  const calls = await upload(["b2"]);
  expect(calls.slice(0, 3).sort()).toEqual([LIST, SUBSCRIPTION, USAGE].sort());
  expect(calls[3]).toBe("GET /api/studies/s1/status");
});

test("an exam is reported as in transfer, then as ready, and the list opens a second later", async () => {
  await upload(["transferring", "b2"]);
  expect(told()).toEqual([
    "info",
    "Upload concluído",
    "Seu exame foi processado e está indo para o armazenamento seguro.",
  ]);
  await pass(2_000);
  await settled();
  expect(told()).toEqual(["ok", "Transferência concluída", "Seu exame está pronto para visualização."]);
  expect(shownView()).toBe("uploadExames");
  await pass(1_000);
  expect(shownView()).toBe("listaExames");
});

test("a failed transfer shows a warning that the files are kept, and the list opens after 2 s", async () => {
  await upload(["error"]);
  expect(told()).toEqual([
    "bad",
    "Upload concluído, mas a transferência falhou",
    "A transferência de um exame para o armazenamento seguro falhou. Os arquivos estão guardados no servidor.",
  ]);
  await pass(1_000);
  expect(shownView()).toBe("uploadExames");
  await pass(1_000);
  expect(shownView()).toBe("listaExames");
});

for (const [status, text] of [
  ["b2", "Seu exame está pronto para visualização."],
  ["local", "Seu exame foi enviado e em breve estará pronto para visualização."],
  ["glacier", "Seu exame foi enviado e em breve estará pronto para visualização."],
] as const) {
  test(`an exam whose status is ${status} is reported as done, and the list opens after 1.5 s`, async () => {
    await upload([status]);
    expect(told()).toEqual(["ok", "Upload concluído", text]);
    await pass(1_000);
    expect(shownView()).toBe("uploadExames");
    await pass(500);
    expect(shownView()).toBe("listaExames");
  });
}

test("an exam whose status can't be read makes no news, and the list opens after 2 s", async () => {
  showToast({ tone: "info", title: "De antes" });
  await upload(["unreadable"]);
  expect(told()).toEqual(["info", "De antes"]);
  await pass(1_000);
  expect(shownView()).toBe("uploadExames");
  await pass(1_000);
  expect(shownView()).toBe("listaExames");
});

test("news of an upload is shown in English too", async () => {
  await upload(["b2"], "en-US");
  expect(told()).toEqual(["ok", "Upload complete", "Your exam is ready for viewing."]);
});

test("somebody who reads something else by then stays there", async () => {
  await upload(["b2"], "pt-BR", "support");
  expect(told()).toEqual(["ok", "Upload concluído", "Seu exame está pronto para visualização."]);
  await pass(10_000);
  expect(shownView()).toBe("support");
});

test("a question that is open by then stays open, and so does its view", async () => {
  await upload(["b2"]);
  const question = openAtom("sign-out");
  act(() => getDefaultStore().set(question, true));
  await pass(10_000);
  expect(getDefaultStore().get(question)).toBe(true);
  expect(shownView()).toBe("uploadExames");
});
