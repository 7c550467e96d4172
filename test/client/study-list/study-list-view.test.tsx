import "../../support/client/dom-globals.ts";
import { describe, expect, spyOn, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { newStudiesAtom } from "../../../src/client/features/studies/new-studies.ts";
import {
  viewedSeriesAtom,
  viewedStudyAtom,
} from "../../../src/client/features/study-list/actions/list-actions.ts";
import { readStoredSession } from "../../../src/client/session.ts";
import { PHONE } from "../../../src/client/ui/hooks/use-media-query.ts";
import type { Study } from "../../../src/shared/api/studies.ts";
import type { Role } from "../../../src/shared/api/users.ts";
import type { Locale } from "../../../src/shared/locale.ts";
import {
  act,
  cleanup,
  drawn,
  screen,
  untilGone,
  waitFor,
  withDom,
  within,
} from "../../support/client/dom.ts";
import { type Answer, problem, shownView } from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";
import { columnHeads, listOf, loadList, series, showList } from "../../support/client/study-list.tsx";
import { travel } from "../../support/client/travel.ts";

withDom();

/** Title and text of the current toast. */
const toastTexts = () =>
  [...document.querySelectorAll(".toast-title, .toast-text")].map(({ textContent }) => textContent);

describe("the study list shows each role its columns", () => {
  const common = ["Data", "Descrição", "Modalidade", "Imagens", "Séries"];
  const expected: Record<Role, string[]> = {
    admin: ["Paciente", ...common, "Armazenamento", "Laudo", "Visualizador", "Ações"],
    user: [...common, "Laudo", "Visualizador", "Ações"],
    doctor: ["Paciente", ...common, "Laudo", "Visualizador"],
    lab: ["Paciente", ...common, "Laudo", "Visualizador"],
  };
  for (const role of ["admin", "user", "doctor", "lab"] as const) {
    test(role, async () => {
      await showList(listOf([skull]), role);
      await screen.findByText("Tomografia de crânio");
      expect(columnHeads()).toEqual(expected[role]);
      const expander = screen.getByRole("button", { name: /^Séries de Tomografia de crânio, / });
      expect(expander.textContent).toBe(role === "user" ? "14-11-2026" : "Duarte");
      if (role !== "user") expect(screen.getByText("Duarte").title).toBe("Helena Duarte");
    });
  }
});

test("its title says whose exams they are", async () => {
  await showList(listOf([skull]));
  expect((await screen.findByRole("heading", { level: 1 })).textContent).toStartWith("Meus exames");
  cleanup();
  await showList(listOf([skull]), "admin");
  expect((await screen.findByRole("heading", { level: 1 })).textContent).toStartWith("Exames");
});

test("an admin sees the storage status of each study; a status of a newer server is shown as unknown", async () => {
  const statuses = ["local", "transferring", "b2", "error", "glacier"];
  const studies = statuses.map((storageStatus, n) => ({ ...skull, id: `s${n}`, storageStatus }) as Study);
  await showList(listOf(studies), "admin");
  await screen.findAllByText("Tomografia de crânio");
  const shown = (column: string) =>
    [...document.querySelectorAll(`td[data-column=${column}] .dot`)].map((dot) => dot.textContent);
  const names = ["Local", "Transferindo", "B2", "Erro", "Desconhecido"];
  expect(shown("storageStatus")).toEqual(names);
  expect(shown("viewer")).toEqual(names);
});

test("a user sees no storage status, neither in a column nor beside the viewer", async () => {
  await showList(listOf([skull]));
  await screen.findByText("Tomografia de crânio");
  expect(document.querySelector(".study-table .dot")).toBeNull();
});

test("numbers, dates and names are shown in Brazilian format", async () => {
  await showList(listOf([skull], 37));
  await screen.findByText("Tomografia de crânio");
  expect(screen.getByText("1.284")).toBeTruthy();
  expect(screen.getByText("Tomografia")).toBeTruthy();
  expect(screen.getByText("37 exames")).toBeTruthy();
  expect(screen.getByText("Mostrando 1 a 1 de 37 resultados")).toBeTruthy();
});

test("a row expands to its series; a series without a description says so", async () => {
  const { user } = await showList(listOf([skull]));
  await user.click(await screen.findByRole("button", { name: /^Séries de/ }));
  expect(await screen.findByText("Sem descrição")).toBeTruthy();
  expect(screen.getByText("Sé 3")).toBeTruthy();
  expect(screen.getByText("SC-1")).toBeTruthy();
});

test("a laudo among the series is counted and marked as a document, not as an image", async () => {
  const laudo = { ...series, id: "e2", modality: "DOC", imagesReceived: 1 };
  const answers = {
    ...listOf([skull]),
    "GET /api/studies/s1/series": () => Response.json([series, laudo]),
  };
  const { user } = await showList(answers);
  await user.click(await screen.findByRole("button", { name: /^Séries de/ }));
  expect(await screen.findByText("DOC · 1 documento")).toBeTruthy();
  expect(screen.getByText("CT · 1.284 imagens")).toBeTruthy();
  const films = [...document.querySelectorAll(".series-film")];
  expect(films.map((film) => film.querySelector("svg") !== null)).toEqual([false, true]);
});

test("a click on a row shows its series, and one on its film or on a series opens the images", async () => {
  const store = getDefaultStore();
  const answers = {
    ...listOf([skull]),
    "POST /api/studies/s1/assign": () => problem(503, "unavailable", "Indisponível"),
  };
  const { user } = await showList(answers);
  await user.click(await screen.findByText("Tomografia de crânio"));
  expect(store.get(viewedStudyAtom)).toBeUndefined();
  for (const place of ["Sé 3", ".study-row .film"]) {
    const target = place.startsWith(".") ? document.querySelector(place) : await screen.findByText(place);
    await user.click(target as Element);
    expect(store.get(viewedStudyAtom)?.id).toBe("s1");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(store.get(viewedStudyAtom)).toBeUndefined());
  }
});

test("a series of documents opens at its document in our own viewer, where OHIF is the first one too", async () => {
  const store = getDefaultStore();
  const laudo = { ...series, id: "e2", seriesInstanceUID: "2.25.8", modality: "DOC", imagesReceived: 1 };
  const answers = {
    ...listOf([skull]),
    "GET /api/studies/s1/series": () => Response.json([series, laudo]),
    "GET /generate-token": () => problem(503, "unavailable", "Indisponível"),
  };
  const { user, calls } = await showList(answers);
  await user.click(await screen.findByRole("button", { name: /^Séries de/ }));
  await user.click(await screen.findByText("DOC · 1 documento"));
  expect(store.get(viewedSeriesAtom)).toEqual({ seriesInstanceUID: "2.25.8", isOfDocuments: true });
  await waitFor(() => expect(calls).toContain("GET /generate-token"));
  expect(document.querySelector(".visor")).toBeTruthy();
  expect(calls).not.toContain("POST /api/studies/s1/assign");
  act(() => store.set(viewedStudyAtom, undefined));
});

test("a study of documents alone opens in our own viewer, where OHIF is the first one too", async () => {
  const store = getDefaultStore();
  const documents = { ...skull, imagesReceived: 2, documentsReceived: 2 };
  const answers = {
    ...listOf([documents]),
    "GET /api/studies/s1/first-image/metadata": () => new Response(null, { status: 204 }),
    "GET /api/studies/s1/first-image/frame": () => new Response(null, { status: 204 }),
    "GET /generate-token": () => problem(503, "unavailable", "Indisponível"),
  };
  const { user } = await showList(answers);
  await screen.findByText("Tomografia de crânio");
  await user.click(document.querySelector(".study-row .film") as Element);
  await waitFor(() => expect(document.querySelector(".visor")).toBeTruthy());
  act(() => store.set(viewedStudyAtom, undefined));
});

test("the film of a study on its way to the store opens nothing", async () => {
  const { user } = await showList(listOf([{ ...skull, storageStatus: "local" }]));
  await screen.findByText("Tomografia de crânio");
  await user.click(document.querySelector(".study-row .film") as Element);
  expect(getDefaultStore().get(viewedStudyAtom)).toBeUndefined();
});

test("series that can't be read show an error and leave the list intact", async () => {
  const answers = { ...listOf([skull]), "GET /api/studies/s1/series": () => problem(403, "x", "y") };
  const { user } = await showList(answers);
  await user.click(await screen.findByRole("button", { name: /^Séries de/ }));
  expect(await screen.findByText("Erro ao carregar séries do estudo")).toBeTruthy();
  expect(screen.getByText("Tomografia de crânio")).toBeTruthy();
});

test("series of an expired session ask to log in", async () => {
  const answers = { ...listOf([skull]), "GET /api/studies/s1/series": () => problem(401, "session", "x") };
  const { user } = await showList(answers);
  await user.click(await screen.findByRole("button", { name: /^Séries de/ }));
  expect((await screen.findByRole("alert")).textContent).toBe("Sessão expirada. Faça login novamente.");
});

for (const storageStatus of ["local", "error"] as const) {
  test(`the viewer does not open a study that is ${storageStatus}`, async () => {
    await showList(listOf([{ ...skull, storageStatus }]));
    const open = await screen.findByRole("button", { name: /^Abrir: / });
    expect(open.getAttribute("aria-disabled")).toBe("true");
  });
}

test("the viewer opens only studies that are in the store", async () => {
  const { user } = await showList(listOf([{ ...skull, storageStatus: "transferring" }]));
  const open = await screen.findByRole("button", { name: /^Abrir: / });
  expect(open.getAttribute("aria-disabled")).toBe("true");
  await user.hover(open);
  expect((await screen.findAllByText("Aguarde o fim da transferência")).length).toBeGreaterThan(0);
  await user.click(open);
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a person with a grant can download a study but not delete it, and sees its owner", async () => {
  const access = { ...skull.access, delete: false, share: false };
  await showList(listOf([{ ...skull, access, ownerName: "Renata Castro", isOverridden: true }]));
  expect(await screen.findByText("Compartilhado por Renata Castro")).toBeTruthy();
  expect(screen.getByText("Dados editados")).toBeTruthy();
  expect(screen.getByRole("button", { name: /^Baixar exame: / })).toBeTruthy();
  expect(screen.queryByRole("button", { name: /^Excluir exame: / })).toBeNull();
});

test("an action that a study does not allow has no button", async () => {
  const access = { ...skull.access, download: false, delete: false, share: false };
  await showList(listOf([{ ...skull, access, ownerName: "Renata Castro" }]));
  await screen.findByText("Compartilhado por Renata Castro");
  for (const name of [/^Baixar exame/, /^Compartilhar exame/, /^Excluir exame/]) {
    expect(screen.queryByRole("button", { name })).toBeNull();
  }
});

for (const [locale, names] of [
  ["pt-BR", ["Abrir: TC de crânio", "Baixar exame: TC de crânio"]],
  ["en-US", ["Open: TC de crânio", "Download exam: TC de crânio"]],
] as const)
  test(`the buttons of a row name its exam (${locale})`, async () => {
    await showList(listOf([{ ...skull, studyDescription: "TC de crânio" }]), "user", locale);
    for (const name of names) expect(await screen.findByRole("button", { name })).toBeTruthy();
    const row = within(screen.getByText("TC de crânio").closest("tr") as HTMLElement);
    const named = row.getAllByRole("button", { name: /TC de crânio/ });
    expect(row.getAllByRole("button").filter((button) => !named.includes(button))).toEqual([]);
  });

test("on a phone the buttons of an exam name it, in its line and once it is open", async () => {
  const onPhone = spyOn(window, "matchMedia").mockImplementation(
    (media) => Object.assign(new EventTarget(), { media, matches: media === PHONE }) as MediaQueryList,
  );
  const { user } = await showList(listOf([{ ...skull, studyDescription: "TC de crânio" }]));
  await screen.findByRole("button", { name: "Abrir no visualizador: TC de crânio" });
  await user.click(screen.getByText("TC de crânio"));
  for (const name of ["Abrir: TC de crânio", "Mais ações: TC de crânio"])
    expect(await screen.findByRole("button", { name })).toBeTruthy();
  onPhone.mockRestore();
});

test("the alarm about a damaged exam leads to its row, which may be far below", async () => {
  const studies = [1, 2, 3].map((n) => ({ ...skull, id: `s${n}`, studyDescription: `Exame ${n}` }));
  const damaged = studies.map((study, n) => (n === 2 ? { ...study, integrity: "damaged" as const } : study));
  const { user } = await showList({
    ...listOf(damaged),
    "GET /api/studies/s3/series": () => Response.json([series]),
  });
  const scroll = spyOn(Element.prototype, "scrollIntoView");
  await user.click(await screen.findByRole("button", { name: "Ver" }));
  const toggle = screen.getByRole("button", { name: /^Séries de Exame 3/ });
  await waitFor(() => expect(document.activeElement === toggle).toBe(true));
  expect(toggle.getAttribute("aria-expanded")).toBe("true");
  expect(scroll).toHaveBeenCalled();
  scroll.mockRestore();
});

test("an admin finds the account that owns a study, and the clinic, in the open row only", async () => {
  const of = { ...skull, ownerName: "Renata Castro", institutionName: "Clínica São João" };
  const { user } = await showList(listOf([of]), "admin");
  await screen.findByText(of.studyDescription ?? "");
  expect(document.body.textContent).not.toMatch(/Renata Castro|Clínica São João/);
  await user.click(screen.getByRole("button", { name: /^Séries de/ }));
  expect(await screen.findByText("Conta de Renata Castro")).toBeTruthy();
  expect(screen.getByText("Clínica São João")).toBeTruthy();
});

test("the next page and another sort order are requested from the server", async () => {
  const asked: string[] = [];
  const answers: Record<string, Answer> = {
    "GET /api/studies": ({ search }) => {
      asked.push([search.get("sort"), search.get("order"), search.get("offset")].join(" "));
      return Response.json([{ ...skull, id: `s${asked.length}` }], { headers: { "X-Total-Count": "25" } });
    },
  };
  const { user } = await showList(answers);
  await user.click(await screen.findByRole("button", { name: "Próximo" }));
  await waitFor(() => expect(screen.getByText("Mostrando 11 a 11 de 25 resultados")).toBeTruthy());
  await user.click(screen.getByRole("button", { name: "Modalidade" }));
  await waitFor(() => expect(asked.length).toBe(3));
  expect(asked).toEqual(["studyDate desc 0", "studyDate desc 10", "modality asc 0"]);
  await user.click(screen.getByRole("button", { name: "Próximo" }));
  await waitFor(() => expect(asked.at(-1)).toBe("modality asc 10"));
  await user.click(screen.getByRole("button", { name: "Anterior" }));
  expect(await screen.findByText("Mostrando 1 a 1 de 25 resultados")).toBeTruthy();
});

test("a reload shows the page, the order and the filters that were shown, to the same person alone", async () => {
  const asked: (string | null)[][] = [];
  const answers: Record<string, Answer> = {
    "GET /api/studies": ({ search }) => {
      asked.push(["patientName", "sort", "offset"].map((name) => search.get(name)));
      return Response.json([skull], { headers: { "X-Total-Count": "25" } });
    },
  };
  const { user } = await showList(answers);
  await user.click(await screen.findByRole("button", { name: "Modalidade" }));
  await user.type(screen.getByLabelText("Nome do paciente"), "Maria");
  await waitFor(() => expect(asked.at(-1)).toEqual(["Maria", "modality", "0"]));
  await user.click(await screen.findByRole("button", { name: "Próximo" }));
  await waitFor(() => expect(asked.at(-1)).toEqual(["Maria", "modality", "10"]));
  cleanup();
  asked.length = 0;
  await loadList(answers, {});
  await screen.findByText("Mostrando 11 a 11 de 25 resultados");
  expect(asked).toEqual([["Maria", "modality", "10"]]);
  expect(screen.getByLabelText<HTMLInputElement>("Nome do paciente").value).toBe("Maria");
  await user.click(screen.getByRole("button", { name: "Limpar filtros" }));
  await waitFor(() => expect(asked.at(-1)).toEqual([null, "modality", "0"]));
  cleanup();
  asked.length = 0;
  await loadList(answers, { id: "01900000-0000-7000-8000-000000000002" });
  await screen.findByText("Mostrando 1 a 1 de 25 resultados");
  expect(asked).toEqual([[null, "studyDate", "0"]]);
  expect(sessionStorage.getItem("kept-in-tab")).toBeNull();
});

describe("downloading a study", () => {
  const TICKET = "POST /api/studies/s1/download-ticket";
  const downloadOf = async (answer: Answer, told: readonly string[], locale?: Locale) => {
    const begun: (string | null)[] = [];
    const { click } = HTMLAnchorElement.prototype;
    HTMLAnchorElement.prototype.click = function () {
      begun.push(this.getAttribute("href"), this.download);
    };
    try {
      const { user, calls } = await showList({ ...listOf([skull]), [TICKET]: answer }, "user", locale);
      const name = locale === "en-US" ? /^Download exam: / : /^Baixar exame: /;
      await user.click(await screen.findByRole("button", { name }));
      await waitFor(() => expect(toastTexts()).toEqual([...told]));
      return { begun, calls };
    } finally {
      HTMLAnchorElement.prototype.click = click;
    }
  };

  test("is done by the browser, is announced, and the list and the usage are read again", async () => {
    const ticket = { url: "/api/downloads/t1", fileName: "Duarte_HIS.zip", sizeBytes: 1000 };
    const told = ["Download concluído", "O navegador está salvando Duarte_HIS.zip."];
    const { begun, calls } = await downloadOf(() => Response.json(ticket, { status: 201 }), told);
    expect(begun).toEqual(["/api/downloads/t1", "Duarte_HIS.zip"]);
    const USAGE = "GET /api/subscriptions/usage-stats";
    await waitFor(() => {
      const later = calls.slice(calls.indexOf(TICKET));
      expect(later).toContain("GET /api/studies");
      expect(later).toContain(USAGE);
    });
  });

  for (const [what, answer, locale, told] of [
    [
      "refused by the server shows its words",
      () => problem(403, "quota.actions", "Limite mensal de ações atingido"),
      "pt-BR",
      ["Erro no download", "Limite mensal de ações atingido"],
    ],
    [
      "answered without words has its own",
      () => new Response("bad gateway", { status: 502 }),
      "pt-BR",
      ["Erro no download", "Erro ao fazer download"],
    ],
    [
      "that fails is told in English too",
      () => problem(403, "quota.actions", "Monthly action limit reached"),
      "en-US",
      ["Download error", "Monthly action limit reached"],
    ],
  ] as const) {
    test(what, async () => {
      expect((await downloadOf(answer, told, locale)).begun).toEqual([]);
    });
  }
});

for (const [what, button, call] of [
  ["downloaded", /^Baixar exame: /, "POST /api/studies/s1/download-ticket"],
  ["opened", /^Séries de/, "GET /api/studies/s1/series"],
] as const)
  test(`an exam that is no longer shared leaves the list when it is ${what}`, async () => {
    const others = { ...skull, id: "s2", studyDescription: "Tórax" };
    let seen = [skull, others];
    const { user } = await showList({
      ...listOf(seen),
      "GET /api/studies": () => Response.json(seen, { headers: { "X-Total-Count": String(seen.length) } }),
      [call]: () => problem(404, "study.not_found", "Exame não encontrado."),
    });
    await screen.findByText("Tomografia de crânio");
    seen = [others];
    const [first] = screen.getAllByRole("button", { name: button });
    await user.click(first as HTMLElement);
    await untilGone(() => screen.queryByText("Tomografia de crânio"));
    expect(screen.getByText("Tórax")).toBeTruthy();
  });

describe("deleting a study", () => {
  const usage: Answer = () =>
    Response.json({
      planName: "Família",
      currentExamCount: 1,
      examLimit: 50,
      examsRemaining: 49,
      examUsagePercentage: 2,
      totalActionsThisMonth: 26,
      actionLimit: 30,
      actionsRemaining: 4,
      actionUsagePercentage: 87,
      downloadsThisMonth: 13,
      deletesThisMonth: 13,
      lastResetDate: "2026-11-03T00:00:00.000Z",
      storageBytes: 100_000,
      storageUsedBytes: 2_000,
      storageRemainingBytes: 98_000,
      storageUsagePercentage: 2,
    });

  test("asks for confirmation with the focus on Cancel, and says what is lost and what it costs", async () => {
    const studies = [skull];
    const answers = {
      ...listOf(studies),
      "GET /api/subscriptions/usage-stats": usage,
      "DELETE /api/studies/s1": () => {
        studies.pop();
        return Response.json({ deleted: true });
      },
      "GET /api/studies": () =>
        Response.json(studies, { headers: { "X-Total-Count": String(studies.length) } }),
    };
    const { user, calls } = await showList(answers);
    await user.click(await screen.findByRole("button", { name: /^Excluir exame: / }));
    const dialog = within(await screen.findByRole("alertdialog", { name: "Confirmar Exclusão" }));
    expect(dialog.getByText("Duarte")).toBeTruthy();
    expect(
      dialog.getByText(
        "Todos os arquivos e dados deste exame serão removidos. Esta ação não pode ser desfeita.",
      ),
    ).toBeTruthy();
    expect(await dialog.findByText("Conta como 1 ação do mês (restam 4).")).toBeTruthy();
    expect(document.activeElement?.textContent).toBe("Cancelar");
    expect(calls).not.toContain("DELETE /api/studies/s1");

    await user.click(dialog.getByRole("button", { name: "Excluir" }));
    expect(await screen.findByText("Exame excluído")).toBeTruthy();
    expect(await screen.findByText("Nenhum exame por aqui ainda")).toBeTruthy();
  });

  test("marks its row busy until the server has answered", async () => {
    const answer = Promise.withResolvers<Response>();
    const { user } = await showList({ ...listOf([skull]), "DELETE /api/studies/s1": () => answer.promise });
    await user.click(await screen.findByRole("button", { name: /^Excluir exame: / }));
    await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Excluir" }));
    const row = () => document.querySelector(".study-row");
    await waitFor(() => expect(row()?.getAttribute("aria-busy")).toBe("true"));
    expect(screen.getByText("Excluindo…")).toBeTruthy();
    answer.resolve(Response.json({ deleted: true }));
    await waitFor(() => expect(row()?.getAttribute("aria-busy")).toBe("false"));
  });

  test("goes on without the dialog about another exam, which the person may open meanwhile", async () => {
    const answer = Promise.withResolvers<Response>();
    const { user } = await showList({
      ...listOf([skull, { ...skull, id: "s2" }]),
      "DELETE /api/studies/s1": () => answer.promise,
    });
    const dialog = () => screen.findByRole("alertdialog");
    const confirm = { name: "Excluir" };
    const [first, second] = await screen.findAllByRole("button", { name: /^Excluir exame: / });
    await user.click(first as HTMLElement);
    await user.click(within(await dialog()).getByRole("button", confirm));
    await travel("back");
    await user.click(second as HTMLElement);
    expect(within(await dialog()).getByRole<HTMLButtonElement>("button", confirm).disabled).toBe(false);
    answer.resolve(Response.json({ deleted: true }));
    expect(await screen.findByText("Exame excluído")).toBeTruthy();
    await drawn();
    expect(within(await dialog()).getByRole("button", confirm)).toBeTruthy();
  });

  test("is not asked about again by Forward once the exam is gone", async () => {
    const studies = [skull, { ...skull, id: "s2" }];
    const { user } = await showList({
      ...listOf(studies),
      "GET /api/studies": () =>
        Response.json(studies, { headers: { "X-Total-Count": String(studies.length) } }),
      "GET /api/studies/s1": () => problem(404, "study.not_found", "Exame não encontrado."),
      "DELETE /api/studies/s1": () => {
        studies.shift();
        return Response.json({ deleted: true });
      },
    });
    const [first] = await screen.findAllByRole("button", { name: /^Excluir exame: / });
    await user.click(first as HTMLElement);
    await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Excluir" }));
    await untilGone(() => screen.queryByRole("alertdialog"));
    await travel("forward");
    await drawn();
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });

  for (const [what, answer, text] of [
    ["an answer without words", () => new Response("bad gateway", { status: 502 }), "Erro ao deletar exame"],
    ["what is no answer at all", () => Promise.reject(new Error("broken")), "Erro desconhecido"],
  ] as const) {
    test(`reports ${what}`, async () => {
      const { user } = await showList({ ...listOf([skull]), "DELETE /api/studies/s1": answer });
      await user.click(await screen.findByRole("button", { name: /^Excluir exame: / }));
      await user.click(
        within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Excluir" }),
      );
      await waitFor(() => expect(toastTexts()).toEqual(["Erro ao excluir", text]));
    });
  }

  test("takes the study off the list also if the answer was lost", async () => {
    const studies = [skull];
    const { user } = await showList({
      ...listOf(studies),
      "DELETE /api/studies/s1": () => {
        studies.pop();
        throw new TypeError("Failed to fetch");
      },
    });
    await user.click(await screen.findByRole("button", { name: /^Excluir exame: / }));
    await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Excluir" }));
    expect(await screen.findByText("Erro ao excluir")).toBeTruthy();
    await waitFor(() => expect(screen.queryByText("Tomografia de crânio")).toBeNull());
  });

  test("says if the study has no patient name, and shows the server's message if it fails", async () => {
    const answers = {
      ...listOf([{ ...skull, patientName: null }]),
      "GET /api/subscriptions/usage-stats": usage,
      "DELETE /api/studies/s1": () => problem(403, "quota.actions", "Limite mensal de ações atingido"),
    };
    const { user } = await showList(answers);
    await user.click(await screen.findByRole("button", { name: /^Excluir exame: / }));
    const dialog = within(await screen.findByRole("alertdialog"));
    expect(dialog.getByText("paciente não identificado")).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Excluir" }));
    expect(await screen.findByText("Erro ao excluir")).toBeTruthy();
    expect(screen.getByText("Limite mensal de ações atingido")).toBeTruthy();
    expect(screen.getByText("Tomografia de crânio")).toBeTruthy();
  });
});

describe("the patient of an exam", () => {
  test("is in the row wherever the person sees exams of several", async () => {
    const answers = listOf([skull]);
    let several = "false";
    answers["GET /api/studies"] = () =>
      Response.json([skull], { headers: { "X-Total-Count": "1", "X-Several-Patients": several } });
    await showList(answers);
    await screen.findByText("Tomografia de crânio");
    expect(screen.queryByText("Duarte")).toBeNull();
    cleanup();
    several = "true";
    await showList(answers);
    expect(await screen.findByText("Duarte")).toBeTruthy();
    expect(columnHeads()[0]).toBe("Paciente");
  });
});

describe("the list that cannot be loaded", () => {
  test("shows an error with the code to quote, and offers another try", async () => {
    let isDown = true;
    const answers = listOf([skull]);
    const list = answers["GET /api/studies"] as Answer;
    answers["GET /api/studies"] = (request) =>
      isDown ? problem(403, "subscription.required", "x") : list(request);
    const { user } = await showList(answers);
    expect(await screen.findByText("Erro ao carregar estudos")).toBeTruthy();
    expect(screen.getByText("403 · r-1")).toBeTruthy();
    isDown = false;
    await user.click(screen.getByRole("button", { name: "Tentar novamente" }));
    expect(await screen.findByText("Tomografia de crânio")).toBeTruthy();
  });

  test("shows the error in English too", async () => {
    const answers = { ...listOf([]), "GET /api/studies": () => problem(403, "subscription.required", "x") };
    await showList(answers, "user", "en-US");
    const said = await screen.findByText(/^Error loading studies\. Please try again\./);
    expect(said).toBeTruthy();
  });

  test("asks to log in after an expired session, is not requested again, and the session is removed", async () => {
    const answers = { ...listOf([]), "GET /api/studies": () => problem(401, "session", "x") };
    const { calls } = await showList(answers);
    expect(await screen.findByText("Sessão expirada. Faça login novamente.")).toBeTruthy();
    expect(screen.getByText("Entre para ver seus exames")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Entrar" })).toBeTruthy();
    expect(calls.filter((call) => call === "GET /api/studies")).toHaveLength(1);
    expect(readStoredSession()).toBeUndefined();
  });
});

test("an empty list links to the upload", async () => {
  const { user } = await showList(listOf([]));
  await user.click(await screen.findByRole("button", { name: "Enviar primeiro exame" }));
  expect(shownView()).toBe("uploadExames");
});

test("the list is available in English", async () => {
  await showList(listOf([skull], 2), "admin", "en-US");
  expect(await screen.findByText("Showing 1 to 1 of 2 results")).toBeTruthy();
  expect(columnHeads()).toEqual([
    "Patient",
    "Date",
    "Description",
    "Modality",
    "Images",
    "Series",
    "Storage",
    "Report",
    "Viewer",
    "Actions",
  ]);
});

test("after an upload the list begins with what was sent, marked as new, until another order is chosen from its first page on", async () => {
  const store = getDefaultStore();
  store.set(newStudiesAtom, ["s1"]);
  try {
    const asked: string[] = [];
    const { user } = await showList({
      ...listOf([skull]),
      "GET /api/studies": ({ search }) => {
        asked.push(`${search.get("sort")} from ${search.get("offset")}`);
        return Response.json([skull], { headers: { "X-Total-Count": "25" } });
      },
    });
    expect(await screen.findByText("Novo")).toBeTruthy();
    expect(asked.at(-1)).toBe("createdAt from 0");
    await user.click(screen.getByRole("button", { name: "Próximo" }));
    await waitFor(() => expect(asked.at(-1)).toBe("createdAt from 10"));
    await user.click(screen.getByRole("button", { name: "Ordenar pela data do exame" }));
    await waitFor(() => expect(asked.at(-1)).toBe("studyDate from 0"));
    cleanup();
    await showList(listOf([skull]));
    await screen.findByText("Tomografia de crânio");
    expect(screen.queryByText("O que foi enviado por último vem primeiro.")).toBeNull();
  } finally {
    store.set(newStudiesAtom, []);
  }
});
