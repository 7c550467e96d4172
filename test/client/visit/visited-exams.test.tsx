import "../../support/client/dom-globals.ts";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { QueryClientProvider } from "@tanstack/react-query";
import { getDefaultStore } from "jotai";
import { createQueryClient } from "../../../src/client/calls/query-client.ts";
import { dropKeptLink, readKeptLink } from "../../../src/client/features/session/kept-link.ts";
import { VisitedExams } from "../../../src/client/features/visit/visited-exams.tsx";
import { viewerChoiceAtom } from "../../../src/client/preferences.ts";
import { beginSession, endSession, restoreSession } from "../../../src/client/session.ts";
import type { Visit, VisitedStudy } from "../../../src/shared/api/links.ts";
import type { Role } from "../../../src/shared/api/users.ts";
import { screen, userEvent, withDom } from "../../support/client/dom.ts";
import { renderClient } from "../../support/client/render-client.tsx";
import { answerCalls, helena } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";

withDom();

beforeEach(() => restoreSession());

const studyOf = (patientName: string | null, studyDescription: string): VisitedStudy => ({
  ...{ ...skull, id: studyDescription, series: [] },
  ...{ patientName, studyDescription, patientBirthDate: null },
});

async function openLink(...studies: VisitedStudy[]) {
  return await openVisit(studies);
}

async function openVisit(studies: VisitedStudy[], more: Partial<Visit> = {}) {
  const visit: Visit = {
    ...{ token: "t0ken", owner: "Clínica Boa Vista", recipient: null, expiresAt: "2026-12-01T00:00:00.000Z" },
    ...{ laudo: true, download: false, studies, ...more },
  };
  await renderClient(
    <QueryClientProvider client={createQueryClient()}>
      <VisitedExams visit={visit} viewerOrigin="" onClosed={() => undefined} />
    </QueryClientProvider>,
  );
  const textsOf = (selector: string) =>
    [...document.querySelectorAll(selector)].map(({ textContent }) => textContent);
  return { title: textsOf("h1")[0], parts: textsOf(".visit-others h2"), named: textsOf(".visit-patient") };
}

test("a link with exams of several patients says whose each exam is, and calls none a comparison", async () => {
  const studies = [studyOf("Sá^Maria", "Tórax"), studyOf("Reis^João", "Crânio"), studyOf(null, "Joelho")];
  expect(await openLink(...studies)).toEqual({
    title: "Exames de Maria Sá, João Reis, Nome não informado",
    parts: ["Outros exames"],
    named: ["Maria Sá", "João Reis", "Nome não informado"],
  });
});

test("a link with exams of one patient, however the name is written, names them once", async () => {
  const studies = [studyOf("Sá^Maria", "Tórax"), studyOf("SA^MARIA", "Crânio")];
  expect(await openLink(...studies)).toEqual({
    ...{ title: "Exames de Maria Sá", parts: ["Para comparar"], named: [] },
  });
});

for (const name of [
  "<constructor/>",
  "<toString>Sá</toString>",
  "<b>Sá</b>",
  "<0>Sá</0>",
  "<0/>",
  "\\u003cb/\\u003e",
  "\\x41 \\\\u0041\\",
]) {
  test(`a link shows a name as it is written, also ${name}`, async () => {
    expect(await openLink(studyOf(name, "Tórax"))).toEqual({
      ...{ title: `Exames de ${name}`, parts: [], named: [] },
    });
  });
}

test("a link's exam of documents alone says so where it is opened, and counts them", async () => {
  const alone = { imagesReceived: 2, documentsReceived: 2 };
  await openLink(
    { ...studyOf("Sá^Maria", "Parecer"), ...alone },
    { ...studyOf("Sá^Maria", "Laudo"), ...alone },
  );
  expect(document.querySelector(".visit-film")?.lastElementChild?.textContent).toBe("2");
  expect(document.querySelector(".visit-main .visit-actions")?.textContent).toBe("Ver documentos");
  expect(document.querySelector(".visit-others button")?.getAttribute("aria-label")).toBe(
    "Ver documentos de Laudo",
  );
});

test("an exam of a link that is removed while it is viewed closes, and the page says which it was", async () => {
  const [one, other] = [studyOf("Sá^Maria", "Tórax"), studyOf("Sá^Maria", "Crânio")];
  getDefaultStore().set(viewerChoiceAtom, "ohif");
  const now: Visit = {
    ...{ token: "t0ken", owner: "Clínica Boa Vista", recipient: null, expiresAt: "2026-12-01T00:00:00.000Z" },
    ...{ laudo: true, download: false, studies: [other] },
  };
  answerCalls({ "GET /api/visits/t0ken": () => Response.json(now) });
  await openLink(one, other);
  await userEvent.click(screen.getByRole("button", { name: "Ver imagens" }));
  const notice = await screen.findByText(/^Quem enviou removeu este exame: Tórax, /);
  expect(notice).toBeDefined();
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(screen.getByRole("heading", { level: 2 }).textContent).toBe("Crânio");
});

test("a link whose exams were removed before it was opened says how many, and no more", async () => {
  await openVisit([studyOf("Sá^Maria", "Tórax")], { studiesRemoved: 1 });
  expect(screen.getByRole("status").textContent).toBe("Quem enviou removeu 1 exame deste link.");
});

test("a link from which nothing was removed says nothing of that", async () => {
  await openLink(studyOf("Sá^Maria", "Tórax"));
  expect(screen.queryByRole("status")).toBeNull();
});

test("a link keeps its page for this tab alone while a doctor leaves it to log in", async () => {
  window.history.replaceState(null, "", "/v/a-link#its-secret");
  const at = Date.now();
  await openLink(studyOf("Sá^Maria", "Tórax"));
  expect(readKeptLink(at)).toBeUndefined();
  const link = screen.getByRole("link", { name: "Entre" });
  link.addEventListener("click", (event) => event.preventDefault());
  await userEvent.click(link);
  expect(readKeptLink(Date.now())).toBe("/v/a-link#its-secret");
  expect(readKeptLink(at + 61 * 60_000)).toBeUndefined();
  expect(JSON.stringify({ ...localStorage })).not.toContain("its-secret");
  window.history.replaceState(null, "", "/");
  dropKeptLink();
});

describe("what an account may keep of a link", () => {
  const keep = () => screen.queryByRole("button", { name: "Guardar em meus exames" });
  const offered = async (link: Partial<Visit>, role?: Role) => {
    if (role) beginSession({ ...helena, role, token: "t0ken" }, { keepConnected: false });
    await openVisit([studyOf("Sá^Maria", "Tórax")], link);
    return keep() !== null;
  };
  afterEach(() => endSession("logout"));

  for (const [role, link, isOffered] of [
    ["doctor", { download: false }, true],
    ["lab", { download: false }, true],
    ["user", { download: true }, true],
    ["user", { download: false }, false],
    ["doctor", { download: true, laudo: false }, false],
  ] as const)
    test(`is offered to a ${role} only as the link lets: ${JSON.stringify(link)}`, async () => {
      expect(await offered(link, role)).toBe(isOffered);
      const why = screen.queryByText(/Só médicos e laboratórios podem guardar os exames dele\./);
      expect(why !== null).toBe(!isOffered && role === "user");
    });

  test("sends nobody to log in for what the link lets nobody keep", async () => {
    expect(await offered({ laudo: false })).toBe(false);
    expect(screen.queryByRole("link", { name: "Entre" })).toBeNull();
  });
});
