import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import LabsView from "../../../src/client/features/labs/labs-view.tsx";
import { readStoredSession } from "../../../src/client/session.ts";
import type { LabExam, LabStats } from "../../../src/shared/api/labs.ts";
import { drawn, screen, untilGone, userEvent, waitFor, withDom, within } from "../../support/client/dom.ts";
import { pass, settled, withFakeClock } from "../../support/client/fake-clock.ts";
import { type Answer, answerCalls, problem, renderView } from "../../support/client/render-view.tsx";
import { leaveAndComeBack, Revisited } from "../../support/client/revisited.tsx";
import { answerForms } from "../../support/client/sent-forms.ts";
import { travel } from "../../support/client/travel.ts";
import { samplePdf } from "../../support/pdf/sample-pdf.ts";

withDom();

// Imported here because the view loads it when a PDF is opened, which can take longer than a test waits.
await import("../../../src/client/features/labs/lab-pdf.tsx");

const blood: LabExam = {
  id: "l1",
  laudoDescription: "Hemograma completo",
  modality: "LAB",
  examDate: "2026-11-10",
  createdAt: "2026-11-11T12:00:00.000Z",
};
const bones: LabExam = {
  id: "l2",
  laudoDescription: "Densitometria óssea",
  modality: "DEN",
  examDate: null,
  createdAt: "2026-11-14T12:00:00.000Z",
};
const unnamed: LabExam = { ...blood, id: "l3", laudoDescription: " ", createdAt: "2026-11-01T12:00:00.000Z" };

const stats: LabStats = {
  planName: "Família",
  currentLabExamCount: 3,
  labExamLimit: 50,
  labExamsRemaining: 47,
  labActionsThisMonth: 40,
  labActionLimit: 50,
  labActionsRemaining: 10,
  labActionUsagePercentage: 80,
  lastResetDate: "2026-11-01T00:00:00.000Z",
};

function labsOf(exams: LabExam[], usage: LabStats | null = null): Record<string, Answer> {
  return {
    "GET /api/exams-lab": () => Response.json(exams),
    "GET /api/exams-lab/stats": () =>
      usage ? Response.json(usage) : problem(404, "subscription.none", "Sem assinatura"),
  };
}

async function showLabs(answers: Record<string, Answer>) {
  const calls = answerCalls(answers);
  await renderView(<LabsView />);
  return { calls, user: userEvent.setup({ applyAccept: false }) };
}

/** Title and text of the current toast. */
const toastTexts = () =>
  [...document.querySelectorAll(".toast-title, .toast-text")].map(({ textContent }) => textContent);
const items = () => [...document.querySelectorAll(".lab-item")];
const names = () => items().map((item) => item.querySelector("b")?.textContent);

describe("laboratory exams", () => {
  test("of many years are shown page by page, and a search finds those of all pages", async () => {
    const many = Array.from({ length: 120 }, (_, index) => ({
      ...blood,
      id: `m${index}`,
      laudoDescription: `Exame ${index}`,
      createdAt: new Date(Date.UTC(2026, 5, 1) - index * 3600_000).toISOString(),
    }));
    const { user } = await showLabs(labsOf(many));
    await screen.findByText("Exame 0");
    expect(names()).toEqual(many.slice(0, 50).map(({ laudoDescription }) => laudoDescription));
    await user.click(screen.getByRole("button", { name: "Próximo" }));
    await user.click(screen.getByRole("button", { name: "Próximo" }));
    expect(screen.getByText("Mostrando 101 a 120 de 120 resultados")).toBeDefined();
    expect(names()).toEqual(many.slice(100).map(({ laudoDescription }) => laudoDescription));
    await user.type(screen.getByLabelText("Nome do exame"), "exame 7");
    expect(names()).toEqual(["Exame 7", ...Array.from({ length: 10 }, (_, index) => `Exame 7${index}`)]);
    expect(screen.queryByRole("button", { name: "Próximo" })).toBeNull();
  });

  test("are listed newest first, with name, badge and date in Brazilian format", async () => {
    await showLabs(labsOf([unnamed, blood, bones]));
    await screen.findByText("Hemograma completo");
    expect(names()).toEqual(["Densitometria óssea", "Hemograma completo", "Exame sem nome"]);
    const [first, second] = items();
    expect(first?.textContent).toContain("14-11-2026");
    expect(second?.textContent).toContain("10-11-2026");
    expect(second?.querySelector("[data-mod=LAB]")).not.toBeNull();
  });

  test("open on a click on their row, and not on a click on another of its buttons", async () => {
    const { user } = await showLabs({
      ...labsOf([blood]),
      [`GET /api/exams-lab/${blood.id}/view`]: () => problem(404, "lab.not_found", "Não encontrado"),
    });
    await user.click(await screen.findByRole("button", { name: "Excluir Hemograma completo" }));
    await user.click(await screen.findByRole("button", { name: "Cancelar" }));
    expect(screen.getByRole("heading", { level: 1 }).textContent).toStartWith("Laboratório");
    await user.click(screen.getByText("Hemograma completo"));
    expect(await screen.findByRole("button", { name: "Voltar para a lista" })).toBeDefined();
  });

  test("are found by name regardless of accents, and a message says when none matches", async () => {
    const { user } = await showLabs(labsOf([blood, bones]));
    await screen.findByText("Hemograma completo");
    const search = screen.getByLabelText("Nome do exame");
    await user.type(search, "OSSEA");
    expect(names()).toEqual(["Densitometria óssea"]);
    await user.type(search, "x");
    expect(screen.getByText("Nenhum exame corresponde aos filtros.")).toBeDefined();
  });

  test("are filtered by each modality's name", async () => {
    const { user } = await showLabs(labsOf([blood, bones]));
    await screen.findByText("Hemograma completo");
    screen.getByRole("combobox", { name: "Modalidade" }).focus();
    await user.keyboard("{Enter}");
    const options = await screen.findAllByRole("option");
    expect(options.map(({ textContent }) => textContent)).toEqual([
      "Todas",
      "Densitometria",
      "Laboratoriais",
      "Tomografia",
      "Ressonância",
      "Ultrasonografia",
      "RaioX",
      "Endoscopia/Colono",
      "Mamografia Medicina nuclear",
      "PET",
    ]);
    await user.click(screen.getByRole("option", { name: "Densitometria" }));
    expect(names()).toEqual(["Densitometria óssea"]);
  });

  test("show the plan's limits and what is left of exams and of the month's actions", async () => {
    await showLabs(labsOf([blood], { ...stats, labActionsThisMonth: 39, labActionUsagePercentage: 78 }));
    expect(await screen.findByText("Plano Família")).toBeDefined();
    for (const text of ["3 / 50", "restam 47", "39 / 50", "restam 11"])
      expect(screen.getByText(text)).toBeDefined();
    expect(screen.queryByText(/das ações de laboratório deste mês/)).toBeNull();
  });

  test("warn from 80 % of the month's actions on", async () => {
    await showLabs(labsOf([blood], stats));
    expect(await screen.findByText(/80% das ações de laboratório/)).toBeDefined();
    expect(screen.getByRole("meter", { name: "Exames laboratoriais" }).getAttribute("aria-valuenow")).toBe(
      "3",
    );
  });

  test("are not said to be none when the server fails, which is told after three tries", async () => {
    const answers = { ...labsOf([]), "GET /api/exams-lab": () => problem(503, "down", "Fora do ar") };
    const { calls } = await showLabs(answers);
    const title = { name: "Erro ao carregar exames laboratoriais" };
    expect(await screen.findByRole("heading", title)).toBeDefined();
    expect(screen.queryByText("Nenhum exame laboratorial ainda")).toBeNull();
    expect(calls.filter((call) => call === "GET /api/exams-lab")).toHaveLength(3);
  }, 240_000);

  test("show why they are forbidden, and can be requested again", async () => {
    const answers = labsOf([blood]);
    const list = answers["GET /api/exams-lab"] as Answer;
    let isRefused = true;
    answers["GET /api/exams-lab"] = (request) =>
      isRefused ? problem(403, "subscription.required", "Assinatura vencida") : list(request);
    const { user } = await showLabs(answers);
    const title = "Erro ao carregar exames laboratoriais";
    const toast = () => document.querySelector(".toast")?.textContent;
    await waitFor(() => expect(toast()).toContain(title));
    expect(toast()).toContain("Assinatura vencida");
    expect(screen.getByRole("heading", { name: title })).toBeDefined();
    isRefused = false;
    await user.click(screen.getByRole("button", { name: "Tentar novamente" }));
    expect(await screen.findByText("Hemograma completo")).toBeDefined();
  });

  test("of an expired session ask to log in, are not requested again, and the session is removed", async () => {
    const answers = { ...labsOf([]), "GET /api/exams-lab": () => problem(401, "session", "x") };
    const { calls } = await showLabs(answers);
    expect(await screen.findByText("Sessão expirada. Faça login novamente.")).toBeDefined();
    expect(calls.filter((call) => call === "GET /api/exams-lab")).toHaveLength(1);
    expect(readStoredSession()).toBeUndefined();
  });

  for (const role of ["admin", "doctor", "lab"] as const) {
    test(`are not available to ${role}`, async () => {
      answerCalls({});
      await renderView(<LabsView />, { user: { role } });
      expect(screen.getByText("Apenas usuários podem acessar esta área.")).toBeDefined();
    });
  }

  test("are not available without a subscription", async () => {
    answerCalls({});
    await renderView(<LabsView />, { isActive: false });
    expect(screen.getByText("Para usar esta área, é preciso ter uma assinatura ativa.")).toBeDefined();
  });

  test("are deleted only after confirmation, and the list is read again", async () => {
    const exams = [blood, bones];
    const { calls, user } = await showLabs({
      ...labsOf(exams),
      "DELETE /api/exams-lab/l1": () => {
        exams.shift();
        return Response.json({ deleted: true });
      },
    });
    await user.click(await screen.findByRole("button", { name: "Excluir Hemograma completo" }));
    const question = await screen.findByRole("alertdialog");
    expect(calls).not.toContain("DELETE /api/exams-lab/l1");
    await user.click(within(question).getByRole("button", { name: "Sim, excluir" }));
    expect(await screen.findByText("Exame excluído")).toBeDefined();
    await waitFor(() => expect(names()).toEqual(["Densitometria óssea"]));
  });

  const refused = () => problem(403, "quota.actions", "Limite mensal de ações atingido");

  test("stay when the deletion fails, and the server's message is shown", async () => {
    const { user } = await showLabs({ ...labsOf([blood]), "DELETE /api/exams-lab/l1": refused });
    await user.click(await screen.findByRole("button", { name: "Excluir Hemograma completo" }));
    await user.click(await screen.findByRole("button", { name: "Sim, excluir" }));
    expect(await screen.findByText("Limite mensal de ações atingido")).toBeDefined();
    expect(toastTexts()).toEqual(["Erro ao excluir exame", "Limite mensal de ações atingido"]);
    expect(names()).toEqual(["Hemograma completo"]);
  });

  test("leave the list also if the answer to their deletion was lost", async () => {
    const exams = [blood];
    const { user } = await showLabs({
      ...labsOf(exams),
      "DELETE /api/exams-lab/l1": () => {
        exams.pop();
        throw new TypeError("Failed to fetch");
      },
    });
    await user.click(await screen.findByRole("button", { name: "Excluir Hemograma completo" }));
    await user.click(await screen.findByRole("button", { name: "Sim, excluir" }));
    expect(await screen.findByText("Erro ao excluir exame")).toBeDefined();
    await waitFor(() => expect(screen.queryByText("Hemograma completo")).toBeNull());
  });

  test("are marked busy while they are being deleted", async () => {
    const answer = Promise.withResolvers<Response>();
    const { user } = await showLabs({
      ...labsOf([blood, bones]),
      "DELETE /api/exams-lab/l1": () => answer.promise,
    });
    await user.click(await screen.findByRole("button", { name: "Excluir Hemograma completo" }));
    await user.click(await screen.findByRole("button", { name: "Sim, excluir" }));
    expect(await screen.findByText("Excluindo…")).toBeDefined();
    expect(items().map((item) => item.getAttribute("aria-busy"))).toEqual(["false", "true"]);
    answer.resolve(Response.json({ deleted: true }));
    await waitFor(() => expect(items()[1]?.getAttribute("aria-busy")).toBe("false"));
  });

  test("are deleted without closing the question about another one", async () => {
    const answer = Promise.withResolvers<Response>();
    const { user } = await showLabs({
      ...labsOf([blood, bones]),
      "DELETE /api/exams-lab/l1": () => answer.promise,
    });
    const yes = () => screen.getByRole<HTMLButtonElement>("button", { name: "Sim, excluir" });
    await user.click(await screen.findByRole("button", { name: "Excluir Hemograma completo" }));
    await user.click(yes());
    await travel("back");
    await user.click(screen.getByRole("button", { name: "Excluir Densitometria óssea" }));
    expect(yes().disabled).toBe(false);
    answer.resolve(Response.json({ deleted: true }));
    expect(await screen.findByText("Exame excluído")).toBeTruthy();
    await drawn();
    expect(yes()).toBeTruthy();
  });

  test("show a message if the PDF can't be shown, from which people can return to the list or delete the exam", async () => {
    const exams = [blood, bones];
    const { user } = await showLabs({
      ...labsOf(exams),
      "GET /api/exams-lab/l1/view": () => problem(503, "store.unavailable", "Fora do ar"),
      "DELETE /api/exams-lab/l1": () => {
        exams.shift();
        return Response.json({ deleted: true });
      },
    });
    const view = async () =>
      user.click(await screen.findByRole("button", { name: "Ver Hemograma completo" }));
    await view();
    await waitFor(() => expect(toastTexts()).toEqual(["Erro ao carregar exame", "Fora do ar"]));
    await user.click(screen.getByRole("button", { name: "Voltar para a lista" }));
    await view();
    await user.click(await screen.findByRole("button", { name: "Excluir exame" }));
    await user.click(await screen.findByRole("button", { name: "Sim, excluir" }));
    await waitFor(() => expect(toastTexts()[0]).toBe("Exame excluído"));
    await waitFor(() => expect(names()).toEqual(["Densitometria óssea"]));
  });

  test("can be downloaded while they are open", async () => {
    const bytes = Uint8Array.from(samplePdf());
    const pdf = () => new Response(bytes, { headers: { "Content-Type": "application/pdf" } });
    const { calls, user } = await showLabs({
      ...labsOf([blood]),
      "GET /api/exams-lab/l1/view": pdf,
      "GET /api/exams-lab/l1/download": pdf,
    });
    await user.click(await screen.findByRole("button", { name: "Ver Hemograma completo" }));
    const download = await screen.findByRole<HTMLButtonElement>("button", { name: "Baixar" });
    await waitFor(() => expect(download.disabled).toBe(false));
    await user.click(download);
    await waitFor(() => expect(toastTexts()).toEqual(["Download concluído"]));
    expect(calls).toContain("GET /api/exams-lab/l1/download");
  });

  test("show the server's message when a download fails", async () => {
    const { user } = await showLabs({ ...labsOf([blood]), "GET /api/exams-lab/l1/download": refused });
    await user.click(await screen.findByRole("button", { name: "Baixar Hemograma completo" }));
    const told = ["Erro ao fazer download", "Limite mensal de ações atingido"];
    await waitFor(() => expect(toastTexts()).toEqual(told));
  });

  test("can be added only with a name, a modality and a PDF", async () => {
    const sent = answerForms();
    const { user } = await showLabs(labsOf([]));
    await user.click(await screen.findByRole("button", { name: "Adicionar exame" }));
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByLabelText("Nome do exame"), "TSH");
    await user.click(within(dialog).getByRole("button", { name: "Salvar exame" }));
    expect((await screen.findByRole("alert")).textContent).toBe(
      "Por favor, preencha todos os campos e selecione um arquivo PDF",
    );
    expect(sent).toEqual([]);
    const modality = within(dialog).getByRole("combobox", { name: "Modalidade" });
    expect(modality.getAttribute("aria-invalid")).toBe("true");
    expect(within(dialog).getByText("Escolha o arquivo PDF")).toBeDefined();
    expect(within(dialog).getByLabelText("Nome do exame").getAttribute("aria-invalid")).toBeNull();
    await user.clear(within(dialog).getByLabelText("Nome do exame"));
    expect(within(dialog).getByLabelText("Nome do exame").getAttribute("aria-invalid")).toBe("true");
  });

  test("show the server's message when it refuses one, and can be sent again", async () => {
    const message = "Limite de exames atingido";
    const body = { type: "x", title: "x", status: 403, code: "quota.exams", message, requestId: "r" };
    const sent = answerForms({ status: 403, body }, { status: 403, body }, { status: 403, body });
    const { user } = await showLabs(labsOf([]));
    await user.click(await screen.findByRole("button", { name: "Adicionar exame" }));
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByLabelText("Nome do exame"), "TSH");
    within(dialog).getByRole("combobox").focus();
    await user.keyboard("{Enter}");
    await user.click(await screen.findByRole("option", { name: "Laboratoriais" }));
    const file = new File(["%PDF-1.4"], "tsh.pdf", { type: "application/pdf" });
    await user.upload(dialog.querySelector("input[type=file]") as HTMLInputElement, file);
    await user.click(within(dialog).getByRole("button", { name: "Salvar exame" }));
    await waitFor(() => expect(toastTexts()).toEqual(["Erro ao fazer upload", message]));
    const again = within(dialog).getByRole("button", { name: "Salvar exame" }) as HTMLButtonElement;
    expect(again.disabled).toBe(false);
    // The answer to the first may only have been lost, and the server tells by this key that it has the exam.
    await user.click(again);
    await waitFor(() => expect(sent).toHaveLength(2));
    await user.type(within(dialog).getByLabelText("Nome do exame"), " e T4");
    await user.click(again);
    await waitFor(() => expect(sent).toHaveLength(3));
    const [first, second, other] = sent.map(({ headers }) => headers.get("Idempotency-Key") ?? "");
    expect(first).toMatch(/^[\w-]{12,}$/);
    expect(second).toBe(first ?? "");
    expect(other).not.toBe(first ?? "");
  });

  test("are not there twice if the dialog is closed after a lost answer and the same PDF is sent again", async () => {
    const sent = answerForms({ status: 503 }, { status: 201 }, { status: 201 });
    const { user } = await showLabs(labsOf([]));
    const add = async () => {
      await user.click(await screen.findByRole("button", { name: "Adicionar exame" }));
      const dialog = await screen.findByRole("dialog");
      await user.type(within(dialog).getByLabelText("Nome do exame"), "Glicose");
      within(dialog).getByRole("combobox").focus();
      await user.keyboard("{Enter}");
      await user.click(await screen.findByRole("option", { name: "Laboratoriais" }));
      const file = new File(["%PDF-1.4"], "glicose.pdf", {
        type: "application/pdf",
        lastModified: sent.length,
      });
      await user.upload(dialog.querySelector("input[type=file]") as HTMLInputElement, file);
      await user.click(within(dialog).getByRole("button", { name: "Salvar exame" }));
      return dialog;
    };
    const dialog = await add();
    await waitFor(() => expect(toastTexts()[0]).toBe("Erro ao fazer upload"));
    await user.click(within(dialog).getByRole("button", { name: "Cancelar" }));
    await untilGone(() => screen.queryByRole("dialog"));
    await add();
    await untilGone(() => screen.queryByRole("dialog"));
    // It is known to be there now, so whoever sends it once more wants a second one.
    await add();
    await untilGone(() => screen.queryByRole("dialog"));
    const [lost, again, second] = sent.map(({ headers }) => headers.get("Idempotency-Key") ?? "");
    expect(again).toBe(lost ?? "");
    expect(second).not.toBe(lost ?? "");
  });

  test("are seen once they are saved, also from a later page", async () => {
    answerForms({ status: 201 });
    const exams = Array.from({ length: 60 }, (_, index) => ({
      ...blood,
      id: `m${index}`,
      laudoDescription: `Exame ${index}`,
      createdAt: new Date(Date.UTC(2026, 5, 1) - index * 3600_000).toISOString(),
    }));
    const { user } = await showLabs(labsOf(exams));
    await user.click(await screen.findByRole("button", { name: "Próximo" }));
    await user.click(screen.getByRole("button", { name: "Adicionar exame" }));
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByLabelText("Nome do exame"), "TSH");
    within(dialog).getByRole("combobox").focus();
    await user.keyboard("{Enter}");
    await user.click(await screen.findByRole("option", { name: "Laboratoriais" }));
    const file = new File(["%PDF-1.4"], "tsh.pdf", { type: "application/pdf" });
    await user.upload(dialog.querySelector("input[type=file]") as HTMLInputElement, file);
    exams.unshift({ ...blood, id: "new", laudoDescription: "TSH", createdAt: new Date().toISOString() });
    await user.click(within(dialog).getByRole("button", { name: "Salvar exame" }));
    await untilGone(() => screen.queryByRole("dialog"));
    expect(names()[0]).toBe("TSH");
  });

  test("are sent with their name, date and modality", async () => {
    const sent = answerForms({ status: 201 });
    const { user } = await showLabs(labsOf([]));
    await user.click(await screen.findByRole("button", { name: "Adicionar exame" }));
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByLabelText("Nome do exame"), "TSH");
    await user.type(within(dialog).getByLabelText("Data do exame (opcional)"), "10/11/2026");
    within(dialog).getByRole("combobox").focus();
    await user.keyboard("{Enter}");
    await user.click(await screen.findByRole("option", { name: "Laboratoriais" }));
    const file = new File(["%PDF-1.4"], "tsh.PDF", { type: "application/pdf" });
    await user.upload(dialog.querySelector("input[type=file]") as HTMLInputElement, file);
    await user.click(within(dialog).getByRole("button", { name: "Salvar exame" }));
    expect(await screen.findByText("Exame salvo")).toBeDefined();
    const form = sent[0]?.form ?? new FormData();
    expect(form.get("examName")).toBe("TSH");
    expect(form.get("examDate")).toBe("2026-11-10");
    expect(form.get("modality")).toBe("LAB");
    expect((form.get("file") as File).name).toBe("tsh.PDF");
  });
});

describe("the list of laboratory exams", () => {
  withFakeClock("2026-11-21T12:00:00.000Z");

  test("is read again when the person returns after a minute, and not before", async () => {
    const calls = answerCalls(labsOf([blood]));
    await renderView(<Revisited view={<LabsView />} />);
    await settled();
    const comeBackAfter = async (ms: number) => {
      await pass(ms);
      await leaveAndComeBack();
      await settled();
      return calls.filter((call) => call === "GET /api/exams-lab").length;
    };
    expect(await comeBackAfter(55_000)).toBe(1);
    expect(await comeBackAfter(10_000)).toBe(2);
  });

  test("comes by itself once the server is back, and so does the PDF that is open", async () => {
    let isDown = true;
    const unlessDown =
      (answer: () => Response): Answer =>
      () =>
        isDown ? problem(503, "database.unavailable", "O banco de dados não responde.") : answer();
    await showLabs({
      ...labsOf([blood]),
      "GET /api/exams-lab": unlessDown(() => Response.json([blood])),
      [`GET /api/exams-lab/${blood.id}/view`]: unlessDown(() => new Response(samplePdf())),
    });
    await pass(40_000);
    expect(screen.getByRole("button", { name: "Tentar novamente" })).toBeDefined();
    // Told when it began, and not at each try since.
    expect(toastTexts()).toEqual([]);
    isDown = false;
    await pass(20_000);
    expect(names()).toEqual(["Hemograma completo"]);
    isDown = true;
    (screen.getByRole("button", { name: "Ver Hemograma completo" }) as HTMLElement).click();
    await pass(20_000);
    expect(screen.getByRole("button", { name: "Tentar novamente" })).toBeDefined();
    isDown = false;
    await pass(20_000);
    expect(screen.queryByRole("button", { name: "Tentar novamente" })).toBeNull();
  });

  test("tells once of a server that first is not reached and then is not ready", async () => {
    let fail = (): Response | Promise<Response> => Promise.reject(new TypeError("failed to fetch"));
    await showLabs({ ...labsOf([blood]), "GET /api/exams-lab": () => fail() });
    await pass(5_000);
    expect(toastTexts()[0]).toBe("Erro ao carregar exames laboratoriais");
    await pass(10_000);
    fail = () => new Response("", { status: 502 });
    for (let second = 0; second < 15; second++) {
      await pass(1_000);
      if (second > 5) expect(toastTexts()).toEqual([]);
    }
  });
});
