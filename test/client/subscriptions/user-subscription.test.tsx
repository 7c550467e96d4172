import "../../support/client/dom-globals.ts";
import { describe, expect, spyOn, test } from "bun:test";
import SubscriptionView from "../../../src/client/features/frame/subscription-view.tsx";
import { PaymentWatch } from "../../../src/client/features/payments/payment-watch.tsx";
import type { Subscription, UsageItem } from "../../../src/shared/api/subscriptions.ts";
import type { CurrentUser } from "../../../src/shared/api/users.ts";
import type { Locale } from "../../../src/shared/locale.ts";
import { drawn, fireEvent, screen, userEvent, waitFor, withDom, within } from "../../support/client/dom.ts";
import {
  type Answer,
  answerCalls,
  problem,
  renderView,
  shownView,
} from "../../support/client/render-view.tsx";
import {
  payment,
  profissional,
  subscription,
  subscriptionAnswers,
} from "../../support/client/subscriptions.ts";
import { travel } from "../../support/client/travel.ts";

withDom();

const NOW = "2026-11-21T15:00:00.000Z";

interface ShowOptions {
  user?: Partial<CurrentUser>;
  locale?: Locale;
  pix?: "manual" | "none";
}

async function showView(answers: Record<string, Answer>, options: ShowOptions = {}) {
  const calls = answerCalls(answers);
  await renderView(
    <>
      <SubscriptionView />
      <PaymentWatch />
    </>,
    options,
  );
  return { calls, user: userEvent.setup() };
}

const plan = (name: string) => screen.getByText(name, { selector: "h3" }).closest("li") as HTMLElement;

describe("the current subscription", () => {
  test("shows its plan, its end, its usage and when the count is reset", async () => {
    await showView(subscriptionAnswers());
    const card = await screen.findByRole("region", { name: "Assinatura atual" });
    expect(within(card).getByText("Ativa")).toBeTruthy();
    expect(within(card).getByText("Plano Família")).toBeTruthy();
    expect(within(card).getByText("Desde 18-11-2026, até 18-12-2026")).toBeTruthy();
    expect(within(card).getByText("37 / 50")).toBeTruthy();
    expect(within(card).getByText("20 / 30")).toBeTruthy();
    expect(within(card).getByText("A contagem de ações recomeça em 18-12-2026.")).toBeTruthy();
  });

  test("warns from 80 % of the actions on", async () => {
    await showView(subscriptionAnswers({}, { totalActionsThisMonth: 24, actionUsagePercentage: 80 }));
    expect(await screen.findByText(/Você usou 80% das ações deste mês/)).toBeTruthy();
    const meter = screen.getByRole("meter", { name: "Ações do mês" });
    expect(meter.closest(".meter")?.className).toContain("is-warn");
  });

  test("is reported as missing if there is none", async () => {
    await showView(subscriptionAnswers(null));
    expect(await screen.findByText("Você não tem assinatura")).toBeTruthy();
    expect(screen.queryByRole("region", { name: "Assinatura atual" })).toBeNull();
    expect(plan("Família")).toBeTruthy();
  });

  test("that has ended says when and can't be cancelled", async () => {
    const over = { status: "expired", expiresAt: "2026-11-02T15:00:00.000Z", canCancel: false } as const;
    await showView(subscriptionAnswers(over));
    expect(await screen.findByText("Expirada")).toBeTruthy();
    expect(screen.getByText("Encerrada em 02-11-2026")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Cancelar assinatura" })).toBeNull();
    expect(screen.getByRole("button", { name: "Renovar Família" })).toBeTruthy();
  });

  test("that has ended says until when its exams are kept", async () => {
    const over = { status: "expired", expiresAt: "2026-11-02T15:00:00.000Z", canCancel: false } as const;
    await showView(subscriptionAnswers({ ...over, keptUntil: "2027-11-02T15:00:00.000Z" }));
    expect(await screen.findByText("Seus exames continuam guardados")).toBeTruthy();
    expect(screen.getByText(/^02-11-2027 \d\d:00$/)).toBeTruthy();
  });

  test("that was chosen and not paid yet says that it waits for its payment", async () => {
    await showView(subscriptionAnswers({ status: "pending", expiresAt: null, canCancel: false }));
    const card = await screen.findByRole("region", { name: "Assinatura atual" });
    expect(within(card).getByText("Aguardando pagamento")).toBeTruthy();
    expect(within(card).getByText("Começa quando o pagamento chegar")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Cancelar assinatura" })).toBeNull();
  });

  test("with an open Pix offers to continue that payment", async () => {
    const { calls, user } = await showView({
      ...subscriptionAnswers({ openPaymentId: payment.id }),
      [`GET /api/payments/${payment.id}`]: () =>
        Response.json({ ...payment, createdAt: new Date(), expiresAt: new Date(Date.now() + 1_800_000) }),
    });
    await user.click(await screen.findByRole("button", { name: "Continuar pagamento" }));
    const dialog = await screen.findByRole("dialog", { name: "Pagar com Pix" });
    expect(await within(dialog).findByText(/49,90/)).toBeTruthy();
    expect(calls).not.toContain("POST /api/payments/create");
  });

  test("that could not be loaded lists what failed, and reloads the page", async () => {
    const failing = (message: string) => () => problem(500, "internal", message);
    await showView({
      "GET /api/subscriptions/plans": failing("planos fora do ar"),
      "GET /api/subscriptions/my-subscription": failing("assinatura fora do ar"),
      "GET /api/subscriptions/usage-stats": failing("uso fora do ar"),
    });
    const card = await screen.findByRole("alert");
    expect(card.textContent).toContain("Planos: planos fora do ar");
    expect(card.textContent).toContain("Uso: uso fora do ar");
    await waitFor(() => expect(card.textContent).toContain("Assinatura: assinatura fora do ar"));
    const reload = spyOn(window.location, "reload").mockImplementation(() => undefined);
    fireEvent.click(within(card).getByRole("button", { name: "Tentar novamente" }));
    expect(reload).toHaveBeenCalledTimes(1);
    reload.mockRestore();
  });
});

describe("the plans", () => {
  test("can't be bought where no Pix can be paid, and the way to support stands above them", async () => {
    const { user } = await showView(subscriptionAnswers(), { pix: "none" });
    expect(await screen.findByText(/nenhum plano pode ser contratado nesta página/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^(Assinar|Renovar)/ })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Suporte" }));
    expect(shownView()).toBe("support");
  });

  test("say in English what a period costs", async () => {
    await showView(subscriptionAnswers(), { locale: "en-US" });
    await screen.findByText("Available plans");
    expect(plan("Family").textContent).toContain("per 30 days");
  });

  test("show their limits, price and duration, and mark the person's own", async () => {
    await showView(subscriptionAnswers());
    await screen.findByText("Planos disponíveis");
    const row = plan("Profissional");
    expect(row.textContent).toContain("Até 200 exames");
    expect(row.textContent).toContain("120 ações por mês");
    expect(row.textContent).toContain("R$\u00a01.490,00");
    expect(row.textContent).toContain("por 365 dias");
    expect(within(plan("Família")).getByText("Seu plano")).toBeTruthy();
    expect(screen.getAllByText("Seu plano")).toHaveLength(1);
  });

  test("that hold less than the person has stored can't be chosen, and say why", async () => {
    await showView(subscriptionAnswers());
    await screen.findByText("Planos disponíveis");
    const row = plan("Essencial");
    expect(row.textContent).toContain("Você guarda 37 exames: mais do que cabe neste plano");
    expect(within(row).queryByRole("button")).toBeNull();
  });

  test("show their storage, and can't be chosen if they hold fewer bytes than are stored", async () => {
    await showView(subscriptionAnswers({ currentExamCount: 3, storageUsedBytes: 20.5 * 1024 ** 3 }));
    await screen.findByRole("region", { name: "Assinatura atual" });
    expect(plan("Profissional").textContent).toContain("400 GB");
    const small = plan("Essencial");
    expect(small.textContent).toContain("20 GB");
    expect(small.textContent).toContain("Você guarda 20,5 GB: mais do que este plano comporta");
    expect(within(small).queryByRole("button")).toBeNull();
  });

  test("without end are not renewed", async () => {
    await showView(subscriptionAnswers({ expiresAt: null }));
    await screen.findByText("Planos disponíveis");
    expect(within(plan("Família")).queryByRole("button")).toBeNull();
    expect(within(plan("Família")).getByText("Sem data de término")).toBeTruthy();
  });

  test("and the history are neither shown to a doctor nor requested", async () => {
    const { calls } = await showView(subscriptionAnswers(), { user: { role: "doctor" } });
    await screen.findByText("Plano Família");
    expect(screen.queryByText("Planos disponíveis")).toBeNull();
    expect(screen.queryByText("Histórico de uso")).toBeNull();
    expect(screen.getByText("Sua assinatura é definida pela administração")).toBeTruthy();
    expect(calls).not.toContain("GET /api/subscriptions/plans");
  });
});

describe("choosing a plan", () => {
  const ahead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

  async function choose(name: string, mine: Partial<Subscription> | null, create: Answer) {
    const shown = await showView({
      ...subscriptionAnswers(mine),
      "POST /api/payments/create": create,
      [`GET /api/payments/${payment.id}`]: () => Response.json(payment),
    });
    await shown.user.click(await screen.findByRole("button", { name }));
    return { ...shown, dialog: await screen.findByRole("dialog") };
  }
  const created: Answer = () => Response.json(payment, { status: 201 });

  test("again adds its days to the end of the present one", async () => {
    const { dialog } = await choose("Renovar Família", { expiresAt: "2099-12-01T15:00:00.000Z" }, created);
    expect(dialog.textContent).toContain("R$\u00a049,90");
    expect(dialog.textContent).toContain("Os 30 dias são somados ao fim do seu plano");
    expect(dialog.textContent).toContain("até 31-12-2099");
  });

  test("other than the present one says that the rest of the present one lapses", async () => {
    const { dialog } = await choose(
      "Assinar Profissional",
      { expiresAt: "2099-12-01T15:00:00.000Z" },
      created,
    );
    expect(dialog.textContent).toContain("vale 365 dias");
    expect(dialog.textContent).toContain(
      "Seu plano Família, que iria até 01-12-2099, termina nesse momento. Os dias restantes se perdem",
    );
  });

  test("without a present one says only when it starts", async () => {
    const { dialog } = await choose("Assinar Família", null, created);
    expect(dialog.textContent).toContain("O plano começa quando o pagamento chegar e vale 30 dias");
    expect(dialog.textContent).not.toContain("termina nesse momento");
  });

  test("creates a Pix only when confirmed, and opens it", async () => {
    const asked: unknown[] = [];
    const open = { ...payment, createdAt: ahead(0), expiresAt: ahead(1) };
    const { calls, dialog, user } = await choose("Assinar Profissional", {}, ({ body }) => {
      asked.push(body);
      return Response.json(open, { status: 201 });
    });
    expect(calls).not.toContain("POST /api/payments/create");
    await user.click(within(dialog).getByRole("button", { name: "Gerar Pix" }));
    expect(await screen.findByRole("dialog", { name: "Pagar com Pix" })).toBeTruthy();
    expect(screen.getAllByRole("dialog")).toHaveLength(1);
    expect(asked).toEqual([{ planId: profissional.id }]);
  });

  test("that the person left by Back opens no Pix over what they look at by then, and says that one waits", async () => {
    const made = Promise.withResolvers<Response>();
    const { dialog, user } = await choose("Assinar Profissional", {}, () => made.promise);
    await user.click(within(dialog).getByRole("button", { name: "Gerar Pix" }));
    await travel("back");
    made.resolve(Response.json({ ...payment, createdAt: ahead(0), expiresAt: ahead(1) }, { status: 201 }));
    expect(await screen.findByText(/Há um Pix aguardando pagamento/)).toBeTruthy();
    await drawn();
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("is not lost sight of by Escape while its Pix is made", async () => {
    const made = Promise.withResolvers<Response>();
    const { dialog, user } = await choose("Assinar Profissional", {}, () => made.promise);
    await user.click(within(dialog).getByRole("button", { name: "Gerar Pix" }));
    await within(dialog).findByRole("button", { name: "Gerando…" });
    await user.keyboard("{Escape}");
    await drawn();
    expect(screen.getByRole("dialog", { name: /^Confirmar/ })).toBeTruthy();
    made.resolve(problem(503, "pix.unavailable", "Não foi possível gerar o QR Code."));
    expect((await within(dialog).findByRole("alert")).textContent).toBe("Não foi possível gerar o QR Code.");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  test("in an outage stays as it is and says why, although what it belongs to can't be read again", async () => {
    const down: Answer = () => problem(503, "unavailable", "O servidor está fora do ar.");
    const { dialog, user } = await choose("Renovar Família", {}, down);
    const calls = answerCalls({
      "POST /api/payments/create": down,
      "GET /api/subscriptions/plans": down,
      "GET /api/subscriptions/my-subscription": down,
      "GET /api/subscriptions/usage-stats": down,
      "GET /api/auth/me": down,
    });
    await user.click(within(dialog).getByRole("button", { name: "Gerar Pix" }));
    expect((await within(dialog).findByRole("alert")).textContent).toBe("O servidor está fora do ar.");
    await waitFor(() => expect(calls).toContain("GET /api/subscriptions/usage-stats"));
    await drawn();
    expect(dialog.isConnected).toBe(true);
    expect(screen.queryByText("Erro ao carregar a assinatura")).toBeNull();
  });

  test("that the server refuses shows the server's message", async () => {
    const { dialog, user } = await choose("Renovar Família", {}, () =>
      problem(503, "pix.unavailable", "Não foi possível gerar o QR Code. Tente novamente."),
    );
    await user.click(within(dialog).getByRole("button", { name: "Gerar Pix" }));
    expect((await within(dialog).findByRole("alert")).textContent).toBe(
      "Não foi possível gerar o QR Code. Tente novamente.",
    );
  });
});

describe("cancelling", () => {
  for (const [locale, button, word, confirm, warning] of [
    [
      "pt-BR",
      "Cancelar assinatura",
      "cancelar ",
      "Cancelar e excluir exames",
      "Depois de 72 horas, eles são apagados para sempre.",
    ],
    [
      "en-US",
      "Cancel subscription",
      "CANCEL",
      "Cancel and delete my exams",
      "After 72 hours they are erased for good.",
    ],
  ] as const) {
    test(`warns about what is lost and requires a typed word, in ${locale}`, async () => {
      let isCancelled = false;
      const until = "2026-11-24T12:00:00.000Z";
      const gone = { status: "expired", canCancel: false, cancelledAt: NOW, removedUntil: until } as const;
      const { calls, user } = await showView(
        {
          ...subscriptionAnswers(),
          "GET /api/subscriptions/my-subscription": () =>
            Response.json(isCancelled ? { ...subscription, ...gone } : subscription),
          "POST /api/subscriptions/cancel": () => {
            isCancelled = true;
            return Response.json({ ...subscription, ...gone });
          },
        },
        { locale },
      );
      await user.click(await screen.findByRole("button", { name: button }));
      const dialog = await screen.findByRole("alertdialog");
      expect(dialog.textContent).toContain(warning);
      const yes = within(dialog).getByRole("button", { name: confirm }) as HTMLButtonElement;
      expect(yes.disabled).toBe(true);
      await user.type(within(dialog).getByRole("textbox"), "sim{Enter}");
      expect(yes.disabled).toBe(true);
      await user.clear(within(dialog).getByRole("textbox"));
      await user.type(within(dialog).getByRole("textbox"), word);
      await user.click(yes);
      await waitFor(() => expect(calls).toContain("POST /api/subscriptions/cancel"));
      expect(
        await screen.findByText(
          locale === "pt-BR" ? /um administrador ainda pode/ : /an administrator can still/,
        ),
      ).toBeTruthy();
      expect(screen.queryByRole("alertdialog")).toBeNull();
    });
  }

  test("offers a copy of everything first", async () => {
    const { calls, user } = await showView({
      ...subscriptionAnswers(),
      "POST /api/users/export-ticket": () => problem(503, "internal", "Agora não"),
    });
    await user.click(await screen.findByRole("button", { name: "Cancelar assinatura" }));
    const dialog = await screen.findByRole("alertdialog");
    const [first] = within(dialog).getAllByRole("button");
    expect(first?.textContent).toBe("Baixar meus dados");
    await user.click(first as HTMLElement);
    await waitFor(() => expect(calls.join()).toContain("export"));
    expect(calls).not.toContain("POST /api/subscriptions/cancel");
  });

  test("is not called an expiry afterwards, and nobody is asked to renew", async () => {
    await showView(
      subscriptionAnswers({
        ...{ status: "expired", canCancel: false, currentExamCount: 0 },
        ...{ expiresAt: NOW, cancelledAt: NOW, removedUntil: null },
      }),
    );
    expect(await screen.findByText("Cancelada")).toBeTruthy();
    expect(screen.getByText("Cancelada em 21-11-2026")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Assinar Família" })).toBeTruthy();
    expect(document.body.textContent).not.toMatch(/expirad|Renov/i);
  });

  test("that fails keeps the dialog and says why", async () => {
    const { user } = await showView({
      ...subscriptionAnswers(),
      "POST /api/subscriptions/cancel": () => problem(409, "subscription.not_active", "Já encerrada"),
    });
    await user.click(await screen.findByRole("button", { name: "Cancelar assinatura" }));
    const dialog = await screen.findByRole("alertdialog");
    await user.type(within(dialog).getByRole("textbox"), "CANCELAR{Enter}");
    expect(await screen.findByText("Já encerrada")).toBeTruthy();
    expect(screen.getByRole("alertdialog")).toBeTruthy();
  });

  test("whose answer was lost is shown as what it is: done", async () => {
    const ended = { status: "expired", canCancel: false, cancelledAt: NOW } as const;
    let mine: Subscription = subscription;
    const { user } = await showView({
      ...subscriptionAnswers(),
      "GET /api/subscriptions/my-subscription": () => Response.json(mine),
      "POST /api/subscriptions/cancel": () => {
        mine = { ...subscription, ...ended };
        throw new TypeError("Failed to fetch");
      },
    });
    await user.click(await screen.findByRole("button", { name: "Cancelar assinatura" }));
    const dialog = await screen.findByRole("alertdialog");
    await user.type(within(dialog).getByRole("textbox"), "CANCELAR{Enter}");
    expect(await screen.findByText("Cancelada em 21-11-2026")).toBeTruthy();
    expect(screen.queryByRole("alertdialog")).toBeNull();
    expect(screen.getByText("Assinatura cancelada")).toBeTruthy();
  });
});

describe("the usage history", () => {
  const item: UsageItem = {
    id: "u1",
    actionType: "download",
    studyInstanceUID: "2.25.1",
    study: { id: "s1", studyDescription: "TC de crânio", patientName: "Silva^Ana", studyDate: "2026-08-17" },
    timestamp: "2026-11-20T12:00:00.000Z",
  };

  test("lists the last 50 activities by exam and patient, and says which exams are gone", async () => {
    const limits: (string | null)[] = [];
    const { user } = await showView({
      ...subscriptionAnswers(),
      "GET /api/subscriptions/usage-history": ({ search }) => {
        limits.push(search.get("limit"));
        return Response.json([
          item,
          { ...item, id: "u2", actionType: "delete", study: null },
          { ...item, id: "u3", study: null },
        ]);
      },
    });
    await user.click(await screen.findByRole("tab", { name: "Histórico de uso" }));
    await screen.findByText("Exclusão");
    expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent?.slice(0, -16))).toEqual([
      "DownloadTC de crânio Silva, 17-08-2026",
      "ExclusãoExame excluído",
      "DownloadExame excluído ou não mais compartilhado com você",
    ]);
    expect(limits).toEqual(["50"]);
  });

  test("says so when there is nothing yet", async () => {
    const { user } = await showView({
      ...subscriptionAnswers(),
      "GET /api/subscriptions/usage-history": () => Response.json([]),
    });
    await user.click(await screen.findByRole("tab", { name: "Histórico de uso" }));
    expect(await screen.findByText(/^Nada ainda/)).toBeTruthy();
  });
});

test("an account whose exams are being deleted is referred to support", async () => {
  const { user } = await showView(subscriptionAnswers({ removedUntil: "2026-11-24T12:00:00.000Z" }));
  await user.click(await screen.findByRole("button", { name: "Escrever para o suporte" }));
  expect(shownView()).toBe("support");
});
