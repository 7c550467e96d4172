import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import PaymentHistoryView from "../../../src/client/features/payments/payment-history-view.tsx";
import type { Payment } from "../../../src/shared/api/payments.ts";
import { screen, userEvent, withDom, within } from "../../support/client/dom.ts";
import {
  type Answer,
  answerCalls,
  problem,
  renderView,
  shownView,
} from "../../support/client/render-view.tsx";
import { paid, payment } from "../../support/client/subscriptions.ts";

withDom();

const HISTORY = "GET /api/payments/user/history";
const refunded: Payment = {
  ...paid,
  id: "p3",
  status: "refunded",
  refundedAt: "2026-11-22T12:00:00.000Z",
  createdAt: "2026-11-19T12:00:00.000Z",
};

async function showHistory(answer: Answer, role: "user" | "doctor" | "admin" = "user") {
  const calls = answerCalls({ [HISTORY]: answer });
  await renderView(<PaymentHistoryView />, { user: { role } });
  return { calls, user: userEvent.setup() };
}

const rows = () =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => [...row.children].slice(0, 5).map((cell) => cell.textContent));

describe("the payment history", () => {
  test("lists date, plan, amount, status and day of payment of the last 50", async () => {
    const limits: (string | null)[] = [];
    await showHistory(({ search }) => {
      limits.push(search.get("limit"));
      return Response.json([
        payment,
        { ...paid, id: "p4" },
        { ...paid, id: "p5", status: "failed", paymentDate: null },
      ]);
    });
    await screen.findByText("Pago");
    expect(rows()).toEqual([
      ["21-11-2026", "Família", "R$\u00a049,90", "Pendente", "—"],
      ["21-11-2026", "Família", "R$\u00a049,90", "Pago", "21-11-2026"],
      ["21-11-2026", "Família", "R$\u00a049,90", "Falhou", "—"],
    ]);
    expect(limits).toEqual(["50"]);
  });

  test("shows the period that a payment bought and when it was refunded", async () => {
    const { user } = await showHistory(() => Response.json([refunded]));
    await user.click(await screen.findByRole("button", { name: "Detalhes do pagamento de 19-11-2026" }));
    const dialog = await screen.findByRole("dialog", { name: "Detalhes do pagamento" });
    expect(dialog.textContent).toContain("18-12-2026 a 17-01-2027");
    expect(dialog.textContent).toContain("Devolvido em22 de novembro de 2026");
    expect(within(dialog).queryByLabelText("Pix copia e cola")).toBeNull();
  });

  test("shows the returned part of a payment, and each devolução with its reason in the details", async () => {
    const devolucao = {
      ...{ id: "d1", amount: 500, natureza: "MED_FRAUDE", status: "DEVOLVIDO" as const },
      ...{ requestedAt: null, settledAt: "2026-11-22T12:00:00.000Z" },
    };
    const devolucoes = [
      devolucao,
      { ...devolucao, id: "d2", amount: 100, natureza: "MED_NOVA", status: "EM_PROCESSAMENTO" as const },
    ];
    const { user } = await showHistory(() =>
      Response.json([{ ...paid, id: "p3", amountReturned: 500, devolucoes }]),
    );
    expect(await screen.findByText("R$ 5,00 devolvidos")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: /^Detalhes do pagamento/ }));
    const dialog = await screen.findByRole("dialog", { name: "Detalhes do pagamento" });
    expect(dialog.textContent).toContain("Valor devolvidoR$\u00a05,00");
    expect(dialog.textContent).toContain("Contestação por fraude (MED)22 de novembro de 2026");
    expect(dialog.textContent).toContain("R$\u00a05,00 · Concluída");
    expect(dialog.textContent).toContain("MED_NOVA");
    expect(dialog.textContent).toContain("R$\u00a01,00 · Em andamento");
  });

  test("shows the code and the QR Code of a payment only while it can be paid", async () => {
    const now = Date.now();
    const open = {
      ...payment,
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + 600_000).toISOString(),
    };
    const over = {
      ...payment,
      id: "p2",
      createdAt: "2026-01-01T12:00:00.000Z",
      expiresAt: "2026-01-01T12:30:00.000Z",
    };
    const { user } = await showHistory(() => Response.json([open, over]));
    await screen.findAllByText("Pendente");
    const [first, second] = screen.getAllByRole("button", { name: /^Detalhes do pagamento/ });
    await user.click(first as HTMLElement);
    const dialog = await screen.findByRole("dialog");
    expect(within(dialog).getByRole("img", { name: "QR Code Pix" })).toBeTruthy();
    expect((within(dialog).getByLabelText("Pix copia e cola") as HTMLTextAreaElement).value).toBe(
      payment.pixCopyPaste ?? "",
    );
    await user.click(within(dialog).getByRole("button", { name: "Fechar" }));
    await user.click(second as HTMLElement);
    expect(await screen.findByText("O código Pix deste pagamento expirou.")).toBeTruthy();
    expect(screen.queryByRole("img", { name: "QR Code Pix" })).toBeNull();
  });

  test("says when nothing was paid, and links to the plans", async () => {
    const { user } = await showHistory(() => Response.json([]));
    expect(await screen.findByText("Nenhum pagamento ainda")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Ver planos" }));
    expect(shownView()).toBe("subscription");
  });

  test("says why it could not be loaded, and offers another try", async () => {
    let isDown = true;
    const { user } = await showHistory(() =>
      isDown ? problem(500, "internal", "Fora do ar") : Response.json([paid]),
    );
    expect(await screen.findByText("Fora do ar")).toBeTruthy();
    isDown = false;
    await user.click(screen.getByRole("button", { name: "Tentar novamente" }));
    expect(await screen.findByText("Pago")).toBeTruthy();
  });

  test("is not available to admins", async () => {
    const { calls } = await showHistory(() => Response.json([]), "admin");
    expect(shownView()).toBe("welcome");
    expect(calls.filter((call) => call.includes("payments"))).toEqual([]);
  });
});
