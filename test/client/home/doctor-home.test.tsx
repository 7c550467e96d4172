import "../../support/client/dom-globals.ts";
import { expect, test } from "bun:test";
import { getDefaultStore } from "jotai";
import DoctorHome from "../../../src/client/features/home/doctor-home.tsx";
import { studyFiltersAtom } from "../../../src/client/features/study-list/filters/study-filters.ts";
import { shownStudyAtom } from "../../../src/client/features/viewer/shown-study.ts";
import type { SharedStudy, SharedWithMe } from "../../../src/shared/api/shared-studies.ts";
import { screen, userEvent, withDom, within } from "../../support/client/dom.ts";
import { answerCalls, renderView, shownView } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";

withDom();

const shared = (id: string, patientName: string, seenAt: string | null = null): SharedStudy => ({
  study: { ...skull, id, patientName, ownerName: "Marina Gonçalves" },
  sharedAt: new Date().toISOString(),
  seenAt,
});

async function show(answer: Partial<SharedWithMe>) {
  const none = { total: 0, freshTotal: 0, fresh: [], seen: [], awaiting: [] };
  const picture = () => new Response(null, { status: 204 });
  answerCalls({
    "GET /api/shared-with-me": () => Response.json({ ...none, ...answer }),
    "GET /api/studies/d1/thumbnail": picture,
    "GET /api/studies/d2/thumbnail": picture,
  });
  await renderView(<DoctorHome />, { user: { role: "doctor", name: "Dra. Inês Leão" }, isActive: false });
}

test("a doctor sees what is new for them, what they have seen, and who asks for a report", async () => {
  const fresh = shared("d1", "Araújo^Tomás");
  await show({
    ...{ total: 14, freshTotal: 3, fresh: [fresh], awaiting: [fresh] },
    seen: [shared("d2", "Assunção^Rui", "2026-11-20T12:00:00.000Z")],
  });
  const news = within(await screen.findByRole("region", { name: "Novos para você 3" }));
  expect(news.getByText("Novo")).toBeTruthy();
  expect(news.getByText(/^Tomás Araújo/)).toBeTruthy();
  expect(screen.getByRole("button", { name: "Ver os 14 exames" })).toBeTruthy();
  expect(screen.getByText(/visto em 20-11-2026/)).toBeTruthy();
  const asked = within(screen.getByRole("region", { name: "Sem laudo seu" }));
  await userEvent.setup().click(asked.getByRole("button", { name: /Tomás Araújo.*pediu laudo/ }));
  expect([shownView(), getDefaultStore().get(shownStudyAtom)?.id]).toEqual(["viewer", "d1"]);
});

test("a doctor searches a patient from the home view, and the list opens with what was found", async () => {
  await show({ total: 1, freshTotal: 1, fresh: [shared("d1", "Araújo^Tomás")] });
  await userEvent.setup().type(await screen.findByRole("searchbox"), "araujo{Enter}");
  expect(shownView()).toBe("listaExames");
  expect(getDefaultStore().get(studyFiltersAtom).search).toBe("araujo");
});

test("a doctor with whom nothing is shared yet learns which address to give", async () => {
  await show({});
  expect(await screen.findByText(/helena@exemplo\.com\.br/)).toBeTruthy();
});
