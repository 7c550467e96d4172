import "../../support/dom-globals.ts";
import { expect, test } from "bun:test";
import { QueryClientProvider } from "@tanstack/react-query";
import { VisitedExams } from "../../../src/client/features/visit/visited-exams.tsx";
import { createQueryClient } from "../../../src/client/query-client.ts";
import type { Visit, VisitedStudy } from "../../../src/shared/api/links.ts";
import { withDom } from "../../support/dom.ts";
import { renderClient } from "../../support/render-client.tsx";
import { skull } from "../../support/skull-study.ts";

withDom();

const studyOf = (patientName: string | null, studyDescription: string): VisitedStudy => ({
  ...{ ...skull, id: studyDescription, series: [] },
  ...{ patientName, studyDescription, patientBirthDate: null },
});

async function openLink(...studies: VisitedStudy[]) {
  const visit: Visit = {
    ...{ token: "t0ken", owner: "Clínica Boa Vista", recipient: null, expiresAt: "2026-12-01T00:00:00.000Z" },
    ...{ laudo: true, download: false, studies },
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
