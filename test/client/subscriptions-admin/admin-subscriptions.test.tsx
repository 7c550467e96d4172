import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { getDefaultStore } from "jotai";
import { currentPath } from "../../../src/client/features/places/his-location.ts";
import { firstPlaceAtom } from "../../../src/client/features/places/views.ts";
import AdminSubscriptions from "../../../src/client/features/subscriptions-admin/admin-subscriptions.tsx";
import {
  changeOfPlan,
  parseMoney,
  valuesOfPlan,
} from "../../../src/client/features/subscriptions-admin/edit-plan.rules.ts";
import type { AdminPayment } from "../../../src/shared/api/payments.ts";
import type { AccountSubscription, AdminPlan, Removal } from "../../../src/shared/api/subscriptions.ts";
import { fold } from "../../../src/shared/fold.ts";
import { act, screen, userEvent, waitFor, withDom, within } from "../../support/client/dom.ts";
import { type Answer, answerCalls, problem, renderView } from "../../support/client/render-view.tsx";
import { travel, write } from "../../support/client/travel.ts";

withDom();

const payment: AdminPayment = {
  id: "01900000-0000-7000-8000-0000000000a1",
  status: "pending",
  amount: 1990,
  planId: "01900000-0000-7000-8000-0000000000b1",
  planName: "Essencial",
  periodDays: 30,
  pixQrcode: null,
  pixCopyPaste: null,
  expiresAt: "2026-11-21T12:30:00.000Z",
  paymentDate: null,
  createdAt: "2026-11-21T12:00:00.000Z",
  periodStart: null,
  periodEnd: null,
  refundedAt: null,
  amountReturned: 0,
  devolucoes: [],
  txid: "01a1ff9ea14a7038a4ea19b53",
  provider: "local",
  user: { id: "01900000-0000-7000-8000-0000000000c1", name: "João Conceição", email: "joao@exemplo.com.br" },
  canConfirm: true,
  canRefund: false,
  refundStatus: null,
  failure: null,
};
const plan: AdminPlan = {
  id: payment.planId,
  name: "Essencial",
  price: 1990,
  examLimit: 10,
  downloadDeleteLimit: 20,
  storageBytes: 20 * 1024 ** 3,
  periodDays: 30,
  isOffered: true,
  canBeOffered: true,
  activeUsers: 3,
};
const subscription: AccountSubscription = {
  user: payment.user ?? { id: "", name: "", email: "" },
  plan,
  subscription: {
    id: "01900000-0000-7000-8000-0000000000d1",
    status: "active",
    plan,
    startDate: "2026-11-01T00:00:00.000Z",
    expiresAt: "2026-12-01T15:00:00.000Z",
    currentExamCount: 7,
    storageUsedBytes: 0,
    downloadsThisMonth: 0,
    deletesThisMonth: 0,
    canCancel: true,
    cancelledAt: null,
    removedUntil: null,
    keptUntil: null,
    openPaymentId: null,
  },
};
const removal: Removal = {
  id: "01900000-0000-7000-8000-0000000000e1",
  user: subscription.user,
  reason: "cancelled",
  createdAt: "2026-11-21T12:00:00.000Z",
  purgeAfter: "2026-11-24T12:00:00.000Z",
  studyCount: 7,
  labExamCount: 1,
};
const months = Array.from({ length: 12 }, (_, index) => ({
  month: `2026-${String(index + 1).padStart(2, "0")}`,
  amount: index * 1000,
  payments: index,
}));

function serve(answers: Record<string, Answer> = {}) {
  return answerCalls({
    "GET /api/subscriptions/summary": () =>
      Response.json({
        users: 12,
        activeSubscriptions: 9,
        totalExams: 1234,
        monthlyRevenue: 11000,
        revenueByMonth: months,
        plans: [plan],
        pendingPayments: 1,
      }),
    "GET /api/payments": () => Response.json([payment], { headers: { "X-Total-Count": "1" } }),
    "GET /api/subscriptions/all": () => Response.json([subscription]),
    "GET /api/subscriptions/removals": () => Response.json([removal]),
    ...answers,
  });
}

async function show(answers: Record<string, Answer> = {}) {
  const calls = serve(answers);
  await renderView(<AdminSubscriptions />, { user: { role: "admin" } });
  await screen.findByText("1.234");
  return { calls, user: userEvent.setup() };
}

/** As after a moment without a connection. */
const readAgain = () =>
  act(async () => {
    for (const event of ["offline", "online"]) window.dispatchEvent(new Event(event));
  });

describe("the subscriptions of everybody", () => {
  test("show counts of users, active subscriptions and exams, and the revenue by month as a table", async () => {
    await show();
    const totals = screen.getByText("Receita do mês").closest("dl");
    expect(totals?.textContent?.replace(/\s/g, " ")).toBe(
      "Usuários12Assinaturas ativas9Exames guardados1.234Receita do mêsR$ 110,00",
    );
    expect(screen.queryByText("Histórico de uso")).toBeNull();
    const chart = screen.getByRole("table", { name: "Receita por mês" });
    expect(within(chart).getAllByRole("row")).toHaveLength(12);
    expect(within(chart).getByRole("rowheader", { name: "dez/26" })).toBeDefined();
  });

  test("show what failed and offer another try", async () => {
    let isUp = false;
    const summary = await (await serveSummary()).json();
    serve({
      "GET /api/subscriptions/summary": () =>
        isUp ? Response.json(summary) : problem(503, "down", "Fora do ar."),
    });
    await renderView(<AdminSubscriptions />, { user: { role: "admin" } });
    expect(await screen.findByText("Fora do ar.")).toBeDefined();
    isUp = true;
    await userEvent.setup().click(screen.getByRole("button", { name: "Tentar novamente" }));
    expect(await screen.findByText("1.234")).toBeDefined();
  });

  test("a partly returned Pix shows the returned part, each devolução, and the amount that a refund would return", async () => {
    const returned = {
      ...payment,
      ...{ status: "paid", provider: "bacen", canConfirm: false, canRefund: true, amountReturned: 500 },
      devolucoes: [
        {
          ...{ id: "d1", amount: 500, natureza: "MED_FRAUDE", status: "DEVOLVIDO" },
          ...{ requestedAt: "2026-11-21T12:00:00.000Z", settledAt: null },
        },
      ],
    };
    const { user } = await show({
      "GET /api/payments": () => Response.json([returned], { headers: { "X-Total-Count": "1" } }),
    });
    expect(await screen.findByText("R$ 5,00 devolvidos")).toBeDefined();
    await user.click(screen.getByRole("button", { name: /^Detalhes do pagamento/ }));
    const details = await screen.findByRole("dialog", { name: "Detalhes do pagamento" });
    expect(details.textContent).toContain("Contestação por fraude (MED)");
    await user.click(within(details).getByRole("button", { name: "Fechar" }));
    await user.click(screen.getByRole("button", { name: /^Devolver: / }));
    const question = await screen.findByRole("alertdialog");
    expect(question.textContent).toContain("O resto, R$");
  });

  test("each button of a row names the payment and its payer", async () => {
    const gone = { ...payment, id: "01900000-0000-7000-8000-0000000000a2", user: null };
    const { user } = await show({
      "GET /api/payments": () =>
        Response.json([payment, { ...gone, canConfirm: false, canRefund: true }], {
          headers: { "X-Total-Count": "2" },
        }),
    });
    expect(
      await screen.findByRole("button", { name: /^Confirmar: R\$\s19,90, João Conceição$/ }),
    ).toBeDefined();
    await user.click(screen.getByRole("button", { name: /^Devolver: R\$\s19,90, Conta excluída$/ }));
    expect(await screen.findByRole("alertdialog", { name: "Devolver este pagamento?" })).toBeDefined();
  });

  test("a Pix is confirmed only after a question, and only once", async () => {
    let confirmed = 0;
    const { user } = await show({
      [`POST /api/payments/${payment.id}/confirm`]: () => {
        confirmed++;
        return Response.json({ ...payment, status: "paid", canConfirm: false, canRefund: true });
      },
    });
    await user.click(await screen.findByRole("button", { name: /^Confirmar: / }));
    const dialog = screen.getByRole("alertdialog", { name: "Confirmar este pagamento?" });
    expect(dialog.textContent).toContain(payment.txid);
    expect(document.activeElement?.textContent).toBe("Cancelar");
    const yes = within(dialog).getByRole("button", { name: "Sim, recebi" });
    expect(yes.className).toContain("is-lit");
    await user.click(yes);
    expect(await screen.findByText("Pagamento confirmado")).toBeDefined();
    expect(confirmed).toBe(1);
  });

  test("a Pix that another admin confirmed and refunded meanwhile is told to be refunded, not confirmed", async () => {
    const { user } = await show({
      [`POST /api/payments/${payment.id}/confirm`]: () =>
        Response.json({ ...payment, status: "refunded", canConfirm: false, wasSettledBefore: true }),
    });
    await user.click(await screen.findByRole("button", { name: /^Confirmar: / }));
    await user.click(screen.getByRole("button", { name: "Sim, recebi" }));
    expect(await screen.findByText("Este pagamento já tinha sido devolvido")).toBeDefined();
    expect(screen.queryByText("Pagamento confirmado")).toBeNull();
  });

  test("a second refund of a Pix on the own key warns of sending the money twice", async () => {
    const paid = { ...payment, status: "paid", canConfirm: false, canRefund: true };
    const { user } = await show({
      "GET /api/payments": () => Response.json([paid], { headers: { "X-Total-Count": "1" } }),
      [`POST /api/payments/${payment.id}/refund`]: () =>
        Response.json({ ...paid, status: "refunded", canRefund: false, wasSettledBefore: true }),
    });
    await user.click(await screen.findByRole("button", { name: /^Devolver: / }));
    await user.click(screen.getByRole("button", { name: "Sim, devolver" }));
    expect(await screen.findByText("Confira no seu banco se o dinheiro volta uma vez só.")).toBeDefined();
  });

  test("payments that can't be read again stay, with what went wrong above them", async () => {
    let isAway = false;
    await show({
      "GET /api/payments": () =>
        isAway
          ? problem(503, "database.unavailable", "O banco de dados não responde.")
          : Response.json([payment], { headers: { "X-Total-Count": "1" } }),
    });
    await screen.findByText("João Conceição");
    isAway = true;
    await readAgain();
    expect(await screen.findByText("O banco de dados não responde.")).toBeDefined();
    expect(screen.getByText("João Conceição")).toBeDefined();
  });

  test("a list that can't be read again is not called empty, and old totals are named as such", async () => {
    let isAway = false;
    const summary = await (await serveSummary()).json();
    const down = () => problem(503, "database.unavailable", "O banco de dados não responde.");
    await show({
      "GET /api/subscriptions/summary": () => (isAway ? down() : Response.json(summary)),
      "GET /api/payments": () => (isAway ? down() : Response.json([], { headers: { "X-Total-Count": "0" } })),
    });
    expect(await screen.findByText("Nenhum pagamento nesta situação.")).toBeDefined();
    isAway = true;
    await readAgain();
    expect(await screen.findByText("Erro ao carregar pagamentos")).toBeDefined();
    expect(screen.queryByText("Nenhum pagamento nesta situação.")).toBeNull();
    expect(await screen.findByText(/não foi possível ler de novo\./)).toBeDefined();
    expect(screen.getByText("1.234")).toBeDefined();
  });

  test("a page of payments whose last one was settled gives way to the page before", async () => {
    let total = 21;
    const asked: string[] = [];
    const { user } = await show({
      "GET /api/payments": ({ search }) => {
        const offset = Number(search.get("offset"));
        asked.push(String(offset));
        const rows = offset < total ? [payment] : [];
        return Response.json(rows, { headers: { "X-Total-Count": String(total) } });
      },
      [`POST /api/payments/${payment.id}/confirm`]: () => {
        total = 20;
        return Response.json({ ...payment, status: "paid" });
      },
    });
    await user.click(await screen.findByRole("button", { name: "Próximo" }));
    await waitFor(() => expect(asked.at(-1)).toBe("20"));
    await user.click(await screen.findByRole("button", { name: /^Confirmar: / }));
    await user.click(await screen.findByRole("button", { name: "Sim, recebi" }));
    expect(await screen.findByText("Mostrando 1 a 1 de 20 resultados")).toBeDefined();
    expect(screen.queryByText(/^Mostrando 0/)).toBeNull();
  });

  test("the question about a payment is a step of the history, and survives a reload with its rows", async () => {
    const paid = { ...payment, status: "paid", provider: "bacen", canConfirm: false, canRefund: true };
    const store = getDefaultStore();
    const { user } = await show({
      "GET /api/payments": ({ search }) =>
        Response.json(search.get("status") === "paid" ? [paid] : [], { headers: { "X-Total-Count": "1" } }),
    });
    const question = () => screen.findByRole("alertdialog", { name: "Devolver este pagamento?" });
    await screen.findByText("Nenhum pagamento nesta situação.");
    await user.click(screen.getByRole("combobox", { name: "Situação" }));
    await user.click(await screen.findByRole("option", { name: "Pago" }));
    await user.click(await screen.findByRole("button", { name: /^Devolver: / }));
    await question();
    await travel("back");
    expect(screen.queryByRole("alertdialog")).toBeNull();
    await travel("forward");
    await question();
    await write(() => store.set(firstPlaceAtom, "/subscription"));
    expect(screen.queryByRole("alertdialog")).toBeNull();
    await write(() => store.set(firstPlaceAtom, currentPath()));
    await question();
    await user.click(screen.getByRole("button", { name: "Cancelar" }));
    await write(() => {});
    expect(currentPath()).toBe("/welcome/rows/paid.0");
  });

  test("the tab and the plan being edited survive a reload", async () => {
    const { user } = await show();
    await user.click(screen.getByRole("tab", { name: "Planos" }));
    await user.click(await screen.findByRole("button", { name: "Editar o plano Essencial" }));
    const path = currentPath();
    await write(() => getDefaultStore().set(firstPlaceAtom, "/subscription"));
    expect(screen.getByRole("tab", { name: /^Pagamentos/, selected: true })).toBeDefined();
    await write(() => getDefaultStore().set(firstPlaceAtom, path));
    expect(screen.getByLabelText("Preço (R$)")).toBeDefined();
  });

  test("a refund that the provider refuses says so", async () => {
    const paid = { ...payment, status: "paid", provider: "bacen", canConfirm: false, canRefund: true };
    const { user } = await show({
      "GET /api/payments": () => Response.json([paid], { headers: { "X-Total-Count": "1" } }),
      [`POST /api/payments/${payment.id}/refund`]: () =>
        problem(409, "payment.refund_rejected", "O provedor de pagamento não aceitou a devolução."),
    });
    await user.click(await screen.findByRole("button", { name: /^Devolver: / }));
    await user.click(screen.getByRole("button", { name: "Sim, devolver" }));
    expect(await screen.findByText("O provedor de pagamento não aceitou a devolução.")).toBeDefined();
  });

  test("say in each tab that there is nothing", async () => {
    const { user } = await show({
      "GET /api/payments": () => Response.json([], { headers: { "X-Total-Count": "0" } }),
      "GET /api/subscriptions/removals": () => Response.json([]),
    });
    expect(await screen.findByText("Nenhum pagamento nesta situação.")).toBeDefined();
    await user.click(screen.getByRole("tab", { name: "Canceladas" }));
    expect(await screen.findByText("Nenhum exame cancelado aguarda exclusão.")).toBeDefined();
    expect(screen.queryByRole("navigation", { name: "Páginas" })).toBeNull();
  });

  test("a plan is edited in reais, and only what changed is sent", async () => {
    const sent: unknown[] = [];
    const { user } = await show({
      [`PATCH /api/subscriptions/plans/${plan.id}`]: ({ body }) => {
        sent.push(body);
        return Response.json({ ...plan, price: 2490 });
      },
    });
    await user.click(screen.getByRole("tab", { name: "Planos" }));
    await user.click(await screen.findByRole("button", { name: "Editar o plano Essencial" }));
    const price = screen.getByLabelText("Preço (R$)") as HTMLInputElement;
    expect(price.value).toBe("19,90");
    await user.clear(price);
    await user.type(price, "0,50");
    await user.click(screen.getByRole("button", { name: "Salvar" }));
    expect(price.getAttribute("aria-invalid")).toBe("true");
    await user.clear(price);
    await user.click(screen.getByRole("button", { name: "Salvar" }));
    expect(price.getAttribute("aria-invalid")).toBe("true");
    expect(sent).toEqual([]);
    await user.type(price, "24,90");
    await user.click(screen.getByRole("button", { name: "Salvar" }));
    expect(await screen.findByText("Plano atualizado")).toBeDefined();
    expect(sent).toEqual([{ price: 2490 }]);
    await user.click(screen.getByRole("button", { name: "Editar o plano Essencial" }));
    const storage = screen.getByLabelText("Armazenamento (GB)") as HTMLInputElement;
    expect(storage.value).toBe("20");
    await user.clear(storage);
    await user.type(storage, "0,5");
    await user.click(screen.getByRole("button", { name: "Salvar" }));
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[1]).toEqual({ storageBytes: 512 * 1024 ** 2 });
  });

  test("a plan that another admin changes while its form is open keeps that change", async () => {
    const sent: unknown[] = [];
    let price = plan.price;
    const summary = { users: 12, activeSubscriptions: 9, totalExams: 1234, monthlyRevenue: 11000 };
    const { user, calls } = await show({
      "GET /api/subscriptions/summary": () =>
        Response.json({
          ...{ ...summary, revenueByMonth: months, pendingPayments: 1 },
          plans: [{ ...plan, price }],
        }),
      [`PATCH /api/subscriptions/plans/${plan.id}`]: ({ body }) => {
        sent.push(body);
        return Response.json(plan);
      },
    });
    await user.click(screen.getByRole("tab", { name: "Planos" }));
    await user.click(await screen.findByRole("button", { name: "Editar o plano Essencial" }));
    price = 2490;
    const before = calls.length;
    await readAgain();
    await waitFor(() => expect(calls.length).toBeGreaterThan(before));
    const exams = screen.getByLabelText("Exames");
    await user.clear(exams);
    await user.type(exams, "12");
    await user.click(screen.getByRole("button", { name: "Salvar" }));
    await waitFor(() => expect(sent).toEqual([{ examLimit: 12 }]));
  });

  /** The part of the subscriptions that the server answers. */
  function pageOf(rows: AccountSubscription[], asked: URLSearchParams): Response {
    const status = asked.get("status");
    const found = rows
      .filter(({ user }) => fold(`${user.name} ${user.email}`).includes(fold(asked.get("search") ?? "")))
      .filter((row) => status === null || row.subscription.status === status);
    const offset = Number(asked.get("offset"));
    return Response.json(found.slice(offset, offset + Number(asked.get("limit"))), {
      headers: { "X-Total-Count": String(found.length) },
    });
  }

  test("subscribers of a large installation come page by page, and are found by name and status on all pages", async () => {
    const rows = Array.from({ length: 50 }, (_, index): AccountSubscription => {
      const status = index % 10 === 0 ? "expired" : "active";
      const id = `${subscription.subscription.id}${index}`;
      const user = { ...subscription.user, name: `Pessoa ${index}` };
      return { ...subscription, user, subscription: { ...subscription.subscription, id, status } };
    });
    const { user } = await show({
      "GET /api/subscriptions/all": ({ search }) => pageOf([...rows, subscription], search),
    });
    await user.click(screen.getByRole("tab", { name: "Assinantes" }));
    expect(await screen.findByText("Mostrando 1 a 20 de 51 resultados")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Próximo" }));
    expect(await screen.findByText("Mostrando 21 a 40 de 51 resultados")).toBeDefined();
    expect(screen.getByText("Pessoa 20")).toBeDefined();
    await user.type(screen.getByRole("searchbox"), "joao conc");
    expect(await screen.findByText("Mostrando 1 a 1 de 1 resultado")).toBeDefined();
    expect(screen.getByText("João Conceição")).toBeDefined();
    expect(screen.getByText("7 / 10 exames")).toBeDefined();
    await user.type(screen.getByRole("searchbox"), "xyz");
    expect(await screen.findByText("Nenhum usuário corresponde a estes filtros.")).toBeDefined();
    await user.clear(screen.getByRole("searchbox"));
    screen.getByLabelText("Situação").focus();
    await user.keyboard("{Enter}");
    await user.click(await screen.findByRole("option", { name: "Expirada" }));
    expect(await screen.findByText("Mostrando 1 a 5 de 5 resultados")).toBeDefined();
  });

  test("each plan shows its number of users, and admins can use it without paying", async () => {
    const sent: unknown[] = [];
    const { calls, user } = await show({
      "POST /api/subscriptions/subscribe": ({ body }) => {
        sent.push(body);
        return Response.json(subscription.subscription);
      },
    });
    await user.click(screen.getByRole("tab", { name: "Planos" }));
    expect(await screen.findByText("3 usuários ativos")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Usar o plano Essencial" }));
    expect(await screen.findByText("Agora você usa o plano Essencial")).toBeDefined();
    expect(sent).toEqual([{ planId: plan.id }]);
    expect(calls).not.toContain("POST /api/payments/create");
  });

  test("a plan that the admin can't take says why", async () => {
    const { user } = await show({
      "POST /api/subscriptions/subscribe": () => problem(409, "plan.too_small", "Plano pequeno demais"),
    });
    await user.click(screen.getByRole("tab", { name: "Planos" }));
    await user.click(await screen.findByRole("button", { name: "Usar o plano Essencial" }));
    expect(await screen.findByText("Plano pequeno demais")).toBeDefined();
  });

  test("cancelled exams can be restored", async () => {
    const { calls, user } = await show({
      [`POST /api/subscriptions/removals/${removal.id}/undo`]: () =>
        Response.json({ studies: 6, labExams: 1, skippedStudies: 1 }),
    });
    await user.click(screen.getByRole("tab", { name: "Canceladas" }));
    await user.click(await screen.findByRole("button", { name: "Restaurar: exames de João Conceição" }));
    expect(await screen.findByText("João Conceição tem os exames de volta")).toBeDefined();
    await waitFor(() =>
      expect(calls.filter((call) => call === "GET /api/subscriptions/removals")).toHaveLength(2),
    );
  });

  test("cancelled exams stay in sight when they can't be read again", async () => {
    let isDown = false;
    const { user } = await show({
      "GET /api/subscriptions/removals": () =>
        isDown ? problem(500, "internal", "Tente de novo em instantes.") : Response.json([removal]),
    });
    await user.click(screen.getByRole("tab", { name: "Canceladas" }));
    const name = "Restaurar: exames de João Conceição";
    await screen.findByRole("button", { name });
    isDown = true;
    await readAgain();
    expect(await screen.findByText("Tente de novo em instantes.")).toBeDefined();
    expect(screen.getByRole("button", { name })).toBeDefined();
  });
});

async function serveSummary(): Promise<Response> {
  serve();
  return await fetch("/api/subscriptions/summary");
}

describe("typed money", () => {
  test.each([
    ["19,90", 1990],
    ["19.9", 1990],
    ["R$ 1.188,00", 118800],
    ["1,188.00", 118800],
    ["4788", 478800],
    ["19,999", 1999900],
    ["", undefined],
    ["dez", undefined],
    ["-5", undefined],
    ["1,2,3", undefined],
  ])("%s is %p cents", (text, cents) => expect(parseMoney(text)).toBe(cents as number));

  test("an untouched price stays exactly the same, in both languages", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 100_000_000 }),
        fc.constantFrom("pt-BR", "en-US"),
        (price, locale) => {
          const before = { ...plan, price };
          expect(changeOfPlan(before, valuesOfPlan(before, locale))).toEqual({});
        },
      ),
    );
  });
});
