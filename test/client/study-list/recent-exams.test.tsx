import "../../support/dom-globals.ts";
import { expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import RecentExams from "../../../src/client/features/study-list/recent-exams.tsx";
import { shownStudyAtom } from "../../../src/client/features/viewer/shown-study.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import { screen, userEvent, waitFor, withDom } from "../../support/dom.ts";
import { answerCalls, problem, renderView, shownView } from "../../support/render-view.tsx";
import { skull } from "../../support/skull-study.ts";

withDom();

async function show(studies: Study[], total = studies.length) {
  const searches: string[] = [];
  answerCalls({
    "GET /api/studies": ({ search }) => {
      searches.push(String(search));
      return Response.json(studies, { headers: { "X-Total-Count": String(total) } });
    },
    "GET /api/studies/s1/thumbnail": () => new Response(null, { status: 204 }),
  });
  await renderView(<RecentExams />);
  return searches;
}

test("the home view shows the exams that came last, and one press opens the images", async () => {
  const searches = await show([skull], 6);
  const film = await screen.findByRole("button", { name: /Tomografia de crânio$/ });
  expect(searches).toEqual(["limit=4&sort=createdAt&order=desc"]);
  expect(screen.getByRole("button", { name: "Ver os 6 exames" })).toBeDefined();
  await userEvent.setup().click(film);
  expect([shownView(), getDefaultStore().get(shownStudyAtom)?.id]).toEqual(["viewer", "s1"]);
});

test("an exam on its way to the store leads to the list, where its state is shown", async () => {
  await show([{ ...skull, storageStatus: "local" }]);
  await userEvent.setup().click(await screen.findByRole("button", { name: /Tomografia de crânio$/ }));
  expect(shownView()).toBe("listaExames");
});

test("without exams, or without an answer, the home view is as it was", async () => {
  await show([]);
  await waitFor(() => expect(screen.queryByText("Recentes")).toBeNull());
  answerCalls({ "GET /api/studies": () => problem(403, "subscription.required", "x") });
  await renderView(<RecentExams />);
  await waitFor(() => expect(screen.queryByText("Recentes")).toBeNull());
});
