import "../../support/client/dom-globals.ts";
import { beforeEach, describe, expect, jest, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { PaymentWatch } from "../../../src/client/features/payments/payment-watch.tsx";
import { shownPaymentAtom } from "../../../src/client/features/payments/shown-payment.ts";
import type { Payment } from "../../../src/shared/api/payments.ts";
import { act, fireEvent, screen, withDom } from "../../support/client/dom.ts";
import { pass, settled, withFakeClock } from "../../support/client/fake-clock.ts";
import { type Answer, answerCalls, problem, renderView } from "../../support/client/render-view.tsx";
import { paid, payment, subscriptionAnswers } from "../../support/client/subscriptions.ts";

withDom();
// The dialog is fetched when it is first shown, which takes longer than the turns of the fake clock on a busy machine.
await import("../../../src/client/features/payments/pix-dialog.tsx");
withFakeClock("2026-11-21T12:00:00.000Z");

const ONE = `GET /api/payments/${payment.id}`;
const MINUTE = 60_000;

/** The server's state; tests change it. */
let kept: { payment: Payment; openPaymentId: string | null; expiresAt?: null };
beforeEach(() => {
  kept = { payment, openPaymentId: payment.id };
});

const toldAt = (time: string, answer: Payment) =>
  Response.json(answer, { headers: { Date: time, "Cache-Control": "private, no-store" } });

const answers = (more: Record<string, Answer> = {}): Record<string, Answer> => ({
  "GET /api/subscriptions/my-subscription": (request) =>
    subscriptionAnswers({
      openPaymentId: kept.openPaymentId,
      ...(kept.expiresAt === null && { expiresAt: null }),
    })["GET /api/subscriptions/my-subscription"]?.(request) ?? Response.error(),
  [ONE]: () => toldAt(new Date().toUTCString(), kept.payment),
  ...more,
});

async function showPix(
  more: Record<string, Answer> = {},
  { isOpen = true, pix }: { isOpen?: boolean; pix?: "manual" } = {},
): Promise<string[]> {
  const calls = answerCalls(answers(more));
  await renderView(<PaymentWatch />, {
    pix,
    open: (store) => store.set(shownPaymentAtom, isOpen ? payment.id : undefined),
  });
  await settled();
  await settled();
  return calls;
}

async function press(name: string): Promise<void> {
  fireEvent.click(screen.getByRole("button", { name }));
  await settled();
}

function giveClipboard(writeText: ((text: string) => Promise<void>) | undefined): void {
  Object.defineProperty(navigator, "clipboard", {
    configurable: true,
    value: writeText && { writeText },
  });
}

test("a Pix that an admin has to confirm says that this can take hours", async () => {
  await showPix({}, { pix: "manual" });
  expect(screen.getByText(/Confirmamos manualmente; pode levar algumas horas/)).toBeTruthy();
});

const dialog = () => screen.queryByRole("dialog");
const asked = (calls: string[]) => calls.filter((call) => call === ONE).length;

describe("a pending Pix", () => {
  test("shows its whole code on a phone, also where a field does not grow with its text", async () => {
    const long = { ...payment, pixCopyPaste: "0".repeat(180) };
    await showPix({ [ONE]: () => toldAt(new Date().toUTCString(), long) });
    expect(screen.getByLabelText("Pix copia e cola").getAttribute("rows")).toBe("5");
  });

  test("shows its code, amount and plan, and counts down every second", async () => {
    await showPix();
    expect(screen.getByRole("img", { name: "QR Code Pix" }).getAttribute("src")).toBe(payment.pixQrcode);
    expect((screen.getByLabelText("Pix copia e cola") as HTMLTextAreaElement).value).toBe(
      payment.pixCopyPaste ?? "",
    );
    expect(dialog()?.textContent).toContain("R$\u00a049,90");
    expect(dialog()?.textContent).toContain("Plano Família, 30 dias");
    const shown = screen.getByRole("timer").textContent;
    await pass(3_000);
    expect([shown, screen.getByRole("timer").textContent]).toEqual(["30:00", "29:57"]);
  });

  test("counts down by the server's clock when the browser's is an hour ahead", async () => {
    const serverTime = "Sat, 21 Nov 2026 12:10:00 GMT";
    jest.setSystemTime(new Date("2026-11-21T13:10:00.000Z"));
    await showPix({ [ONE]: () => toldAt(serverTime, payment) });
    expect(screen.getByRole("timer").textContent).toBe("20:00");
    expect(screen.getByRole("button", { name: "Copiar código Pix" })).toBeTruthy();
  });

  test("is read again every 5 s", async () => {
    const calls = await showPix();
    const before = asked(calls);
    await pass(15_000);
    expect(asked(calls) - before).toBe(3);
  });

  test("stays open when the dialog is closed, and is still watched; the focus goes back", async () => {
    const calls = await showPix({}, { isOpen: false });
    const opener = document.body.appendChild(document.createElement("button"));
    opener.focus();
    await act(async () => getDefaultStore().set(shownPaymentAtom, payment.id));
    await settled();
    await press("Fechar");
    expect(dialog()).toBeNull();
    const before = asked(calls);
    await pass(5_000);
    expect(asked(calls) - before).toBe(1);
    expect(document.activeElement === opener).toBe(true);
    kept = { payment: paid, openPaymentId: null };
    await pass(5_000);
    expect(screen.getByText("Pagamento confirmado")).toBeTruthy();
    expect(dialog()).toBeNull();
  });

  test("keeps its code on the screen while the server is unreachable, and is confirmed afterwards", async () => {
    let isDown = false;
    await showPix({
      [ONE]: () => (isDown ? problem(500, "internal", "Fora do ar") : Response.json(kept.payment)),
    });
    isDown = true;
    await pass(5_000);
    expect(dialog()?.textContent).toContain("Fora do ar");
    expect(screen.getByRole("img", { name: "QR Code Pix" })).toBeTruthy();
    isDown = false;
    kept = { payment: paid, openPaymentId: null };
    await pass(5_000);
    expect(screen.getByRole("heading", { name: "Pagamento confirmado" })).toBeTruthy();
  });
});

describe("a Pix that was paid", () => {
  test("is confirmed, closes by itself after 2 s, and everything it changes is read again", async () => {
    const calls = await showPix();
    kept = { payment: paid, openPaymentId: null };
    const before = calls.length;
    await pass(5_000);
    expect(screen.getByRole("status").textContent).toContain("Seu plano Família está ativo até 17-01-2027.");
    expect(calls.slice(before)).toContain("GET /api/subscriptions/my-subscription");
    await pass(1_000);
    expect(dialog()).not.toBeNull();
    await pass(1_000);
    expect(dialog()).toBeNull();
  });

  test("after a later one of another plan says that its own did not begin, until its reader closes it", async () => {
    await showPix();
    kept = { payment: { ...paid, periodEnd: paid.periodStart }, openPaymentId: null };
    await pass(5_000);
    const told = screen.getByRole("status").textContent;
    expect(told).toContain("Depois dele você pagou outro plano, que continua em vigor");
    expect(told).toContain("o plano Família não começou");
    expect(told).not.toContain("ativo até");
    await pass(5_000);
    expect(dialog()).not.toBeNull();
    await press("Fechar");
    expect(dialog()).toBeNull();
  });

  test("of a plan without an end names no end", async () => {
    kept.expiresAt = null;
    await showPix();
    kept = { payment: paid, openPaymentId: null, expiresAt: null };
    await pass(5_000);
    const told = screen.getByRole("status").textContent;
    expect(told).toContain("Seu plano Família está ativo e não tem data de término.");
    expect(told).not.toContain("ativo até");
  });

  test("is read again for 30 s more, and then no longer", async () => {
    const calls = await showPix();
    kept = { payment: paid, openPaymentId: null };
    await pass(5_000);
    const atPaid = asked(calls);
    await pass(29_000);
    const later = asked(calls);
    expect(later - atPaid).toBe(5);
    await pass(60_000);
    expect(asked(calls) - later).toBeLessThanOrEqual(1);
  });
});

describe("an expired Pix", () => {
  test("says so, and a new code can replace it", async () => {
    const fresh: Payment = {
      ...payment,
      id: "01900000-0000-7000-8000-00000000b002",
      createdAt: "2026-11-21T12:31:00.000Z",
      expiresAt: "2026-11-21T13:01:00.000Z",
    };
    const bodies: unknown[] = [];
    await showPix({
      "POST /api/payments/create": ({ body }) => {
        bodies.push(body);
        return Response.json(fresh, { status: 201 });
      },
      [`GET /api/payments/${fresh.id}`]: () => Response.json(fresh),
    });
    jest.setSystemTime(new Date("2026-11-21T12:29:58.000Z"));
    await pass(1_000);
    expect(screen.queryByText(/Este código Pix expirou/)).toBeNull();
    kept = {
      payment: { ...payment, status: "expired", pixQrcode: null, pixCopyPaste: null },
      openPaymentId: null,
    };
    await pass(61_000);
    expect(screen.getByRole("alert").textContent).toContain("Este código Pix expirou");
    expect(screen.queryByRole("img")).toBeNull();
    await press("Gerar novo código");
    await settled();
    expect(bodies).toEqual([{ planId: payment.planId }]);
    expect(screen.getByRole("img", { name: "QR Code Pix" })).toBeTruthy();
    expect(screen.getByRole("timer").textContent).toMatch(/^(30:00|29:5\d)$/);
  });

  test("counts as expired by its time even before the server says so", async () => {
    await showPix();
    await pass(2_000);
    jest.setSystemTime(new Date("2026-11-21T12:30:00.000Z"));
    await pass(1_000);
    expect(screen.getByRole("button", { name: "Gerar novo código" })).toBeTruthy();
  });

  test("is confirmed while it is shown, if its money arrives all the same", async () => {
    const expired: Payment = { ...payment, status: "expired", pixQrcode: null, pixCopyPaste: null };
    kept = { payment: expired, openPaymentId: null };
    const calls = await showPix();
    expect(screen.getByRole("button", { name: "Gerar novo código" })).toBeTruthy();
    kept.payment = paid;
    const before = calls.length;
    await pass(5_000);
    expect(screen.getByRole("heading", { name: "Pagamento confirmado" })).toBeTruthy();
    expect(calls.slice(before)).toContain("GET /api/subscriptions/my-subscription");
  });

  test("shows the server's message when no new code can be created", async () => {
    kept.payment = { ...payment, status: "expired", pixQrcode: null, pixCopyPaste: null };
    await showPix({
      "POST /api/payments/create": () => problem(409, "plan.too_small", "Plano pequeno demais"),
    });
    await press("Gerar novo código");
    expect(screen.getByText("Plano pequeno demais")).toBeTruthy();
  });
});

describe("copying the code", () => {
  test("shows a confirmation for 3 s", async () => {
    const copied: string[] = [];
    giveClipboard(async (text) => void copied.push(text));
    await showPix();
    await press("Copiar código Pix");
    expect(copied).toEqual([payment.pixCopyPaste ?? ""]);
    expect(screen.getByRole("button", { name: "Código copiado" })).toBeTruthy();
    await pass(3_000);
    expect(screen.getByRole("button", { name: "Copiar código Pix" })).toBeTruthy();
  });

  for (const [what, writeText] of [
    ["refuses", () => Promise.reject(new DOMException("no", "NotAllowedError"))],
    ["has no clipboard", undefined],
  ] as const) {
    test(`that the browser ${what} shows a message, and selects the code to copy by hand`, async () => {
      giveClipboard(writeText);
      await showPix();
      await press("Copiar código Pix");
      expect(screen.getByRole("alert").textContent).toBe("Não foi possível copiar o código");
      const field = screen.getByLabelText("Pix copia e cola") as HTMLTextAreaElement;
      expect([field.selectionStart, field.selectionEnd]).toEqual([0, field.value.length]);
    });
  }
});

describe("a Pix that can't be shown", () => {
  test("says that it has no QR Code yet, and offers to request it again", async () => {
    kept.payment = { ...payment, pixQrcode: null, pixCopyPaste: null };
    await showPix({
      "POST /api/payments/create": () => {
        kept.payment = payment;
        return Response.json(payment, { status: 201 });
      },
    });
    expect(screen.getByText("Não foi possível gerar o QR Code. Tente novamente.")).toBeTruthy();
    await press("Tentar novamente");
    await settled();
    expect(screen.getByRole("img", { name: "QR Code Pix" })).toBeTruthy();
  });

  test("says why its QR Code could not be requested again", async () => {
    kept.payment = { ...payment, pixQrcode: null, pixCopyPaste: null };
    await showPix({
      "POST /api/payments/create": () => problem(503, "pix.unavailable", "O banco não respondeu"),
    });
    await press("Tentar novamente");
    await settled();
    expect(screen.getByText(/O banco não respondeu/)).toBeTruthy();
  });

  test("says that the browser can't draw its QR Code, and keeps the code to copy", async () => {
    await showPix();
    fireEvent.error(screen.getByRole("img", { name: "QR Code Pix" }));
    expect(screen.getByText("Não foi possível gerar o QR Code. Tente novamente.")).toBeTruthy();
    expect(screen.getByLabelText("Pix copia e cola")).toBeTruthy();
  });

  test("shows a card if it is unknown, and is not requested again", async () => {
    const calls = await showPix({ [ONE]: () => problem(404, "payment.not_found", "x") });
    expect(screen.getByText("Pagamento não encontrado")).toBeTruthy();
    const before = asked(calls);
    await pass(MINUTE / 4);
    expect(asked(calls)).toBe(before);
  });

  test("is requested again automatically after a failed load", async () => {
    let isDown = true;
    await showPix({
      [ONE]: () => (isDown ? problem(500, "internal", "Fora do ar") : Response.json(payment)),
    });
    expect(screen.getByText("Fora do ar")).toBeTruthy();
    isDown = false;
    await pass(5_000);
    expect(screen.getByRole("img", { name: "QR Code Pix" })).toBeTruthy();
  });
});
