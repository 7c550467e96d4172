import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { shownReportAtom } from "../../../src/client/features/reports/report-state.ts";
import type { Locale } from "../../../src/shared/locale.ts";
import { cleanup, screen, untilGone, userEvent, waitFor, withDom, within } from "../../support/client/dom.ts";
import {
  type Answer,
  answerCalls,
  problem,
  renderView,
  shownView,
} from "../../support/client/render-view.tsx";
import { skull } from "../../support/client/skull-study.ts";

withDom();

// The PDF renderer needs a document when it is imported.
const { default: ReportView } = await import("../../../src/client/features/reports/report-view.tsx");

const REPORT = "/api/studies/laudo/s1";
const down: Answer = () => new Response("x", { status: 502, statusText: "Bad Gateway" });

async function showReport(answers: Record<string, Answer>, locale?: Locale) {
  const calls = answerCalls({ [`GET ${REPORT}`]: down, ...answers });
  const access = { ...skull.access, deleteReport: true };
  await renderView(<ReportView />, {
    locale,
    open: (store) => store.set(shownReportAtom, { ...skull, laudo: true, access }),
  });
  return { calls, user: userEvent.setup() };
}

const toastTexts = () =>
  [...document.querySelectorAll(".toast-title, .toast-text")].map(({ textContent }) => textContent);

describe("a report", () => {
  test("shows the server's message if it can't be read, in both languages", async () => {
    await showReport({});
    const heading = await screen.findByRole("heading", { name: "Erro ao carregar laudo" });
    expect(heading.parentElement?.textContent).toContain("502: x");
    cleanup();
    await showReport({}, "en-US");
    expect(await screen.findByRole("heading", { name: "Error loading report" })).toBeDefined();
  });

  test("has a way back to the list", async () => {
    const { user } = await showReport({});
    await user.click(screen.getByRole("button", { name: "Voltar para a lista" }));
    expect(shownView()).toBe("listaExames");
  });

  test("is left by Escape, but not by the one that closes a question", async () => {
    const { user } = await showReport({});
    await user.click(screen.getByRole("button", { name: "Excluir laudo" }));
    await screen.findByRole("alertdialog", { name: "Confirmar exclusão" });
    await user.keyboard("{Escape}");
    await untilGone(() => screen.queryByRole("alertdialog"));
    expect(shownView()).not.toBe("listaExames");
    await user.keyboard("{Escape}");
    expect(shownView()).toBe("listaExames");
  });

  test("is deleted only after confirmation, and Cancel keeps it", async () => {
    const { calls, user } = await showReport({
      [`DELETE ${REPORT}`]: () => Response.json({ deleted: true }),
    });
    await user.click(screen.getByRole("button", { name: "Excluir laudo" }));
    const question = within(await screen.findByRole("alertdialog", { name: "Confirmar exclusão" }));
    expect(
      question.getByText("Tem certeza que deseja excluir este Laudo? Esta ação não pode ser desfeita."),
    ).toBeDefined();
    await user.click(question.getByRole("button", { name: "Cancelar" }));
    expect(calls).not.toContain(`DELETE ${REPORT}`);
    await user.click(screen.getByRole("button", { name: "Excluir laudo" }));
    await user.click(await screen.findByRole("button", { name: "Sim, excluir" }));
    await waitFor(() => expect(toastTexts()).toEqual(["PDF excluído", "O laudo foi excluído com sucesso"]));
    expect(shownView()).toBe("listaExames");
  });

  test("stays if the deletion fails, and the server's message is shown", async () => {
    const { user } = await showReport({
      [`DELETE ${REPORT}`]: () => problem(403, "study.not_owner", "Só o dono deste exame pode fazer isso."),
    });
    await user.click(screen.getByRole("button", { name: "Excluir laudo" }));
    await user.click(await screen.findByRole("button", { name: "Sim, excluir" }));
    const told = ["Erro ao excluir PDF", "Só o dono deste exame pode fazer isso."];
    await waitFor(() => expect(toastTexts()).toEqual(told));
    expect(shownView()).not.toBe("listaExames");
  });
});
