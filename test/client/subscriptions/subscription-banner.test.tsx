import "../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { SubscriptionBanner } from "../../../src/client/features/subscriptions/subscription-banner.tsx";
import type { CurrentUser } from "../../../src/shared/api/users.ts";
import type { Locale } from "../../../src/shared/locale.ts";
import { cleanup, fireEvent, screen, withDom } from "../../support/client/dom.ts";
import { pass, settled, withFakeClock } from "../../support/client/fake-clock.ts";
import { answerCalls, renderView, shownView } from "../../support/client/render-view.tsx";
import { subscriptionAnswers } from "../../support/client/subscriptions.ts";

const NOW = "2026-11-21T12:00:00.000Z";
const HOUR_MS = 3_600_000;

withDom();
withFakeClock(NOW);

async function showBanner(hoursLeft: number | null, user: Partial<CurrentUser> = {}, locale?: Locale) {
  answerCalls({});
  const expiresAt = hoursLeft === null ? null : new Date(Date.parse(NOW) + hoursLeft * HOUR_MS).toISOString();
  await renderView(<SubscriptionBanner />, { user: { expiresAt, ...user }, locale });
  await settled();
}

const banner = () => document.querySelector(".banner");

describe("the subscription banner", () => {
  for (const [hours, locale, text] of [
    [
      0,
      "en-US",
      "Subscription Expired Your subscription has expired. Renew now to continue using the system.",
    ],
    [1, "en-US", "Subscription Expiring Your subscription expires in 1 day. Renew to avoid interruptions."],
    [72, "en-US", "Subscription Expiring Your subscription expires in 3 days. Renew to avoid interruptions."],
    [73, "en-US", "Renewal Reminder Your subscription expires in 4 days."],
    [168, "en-US", "Renewal Reminder Your subscription expires in 7 days."],
    [
      -50,
      "pt-BR",
      "Assinatura expirada Sua assinatura expirou. Renove agora para continuar usando o sistema.",
    ],
    [24, "pt-BR", "Assinatura expirando Sua assinatura expira em 1 dia. Renove para evitar interrupções."],
    [25, "pt-BR", "Assinatura expirando Sua assinatura expira em 2 dias. Renove para evitar interrupções."],
    [100, "pt-BR", "Lembrete de renovação Sua assinatura expira em 5 dias."],
  ] as const) {
    test(`says with ${hours} h left, in ${locale}: ${text}`, async () => {
      await showBanner(hours, {}, locale);
      expect(banner()?.querySelector("p")?.textContent).toBe(text);
    });
  }

  for (const [whom, hours, user] of [
    ["with more than 7 days left", 168.1, {}],
    ["for a subscription without an end", null, {}],
    ["for an admin", -1, { role: "admin" }],
  ] as const) {
    test(`is missing ${whom}`, async () => {
      await showBanner(hours, user);
      expect(banner()).toBeNull();
    });
  }

  test("does not call a cancelled subscription expired, and asks nobody to renew it", async () => {
    const expiresAt = "2026-11-21T11:00:00.000Z";
    answerCalls(subscriptionAnswers({ status: "expired", expiresAt, cancelledAt: expiresAt }));
    await renderView(<SubscriptionBanner />, { user: { expiresAt } });
    await settled();
    expect(banner()?.textContent).toBe(
      "Assinatura cancelada Escolha um plano quando quiser voltar a guardar exames aqui.Ver planos",
    );
    expect([banner()?.className, banner()?.getAttribute("role")]).toEqual(["banner", "status"]);
  });

  test("is the same for a doctor", async () => {
    await showBanner(-1, { role: "doctor" });
    expect(screen.getByRole("alert").textContent).toContain("Assinatura expirada");
  });

  for (const [hours, label] of [
    [-1, "Renovar"],
    [30, "Renovar"],
    [120, "Ver detalhes"],
  ] as const) {
    test(`leads to the subscription by "${label}" with ${hours} h left`, async () => {
      await showBanner(hours);
      const link = screen.getByRole("link", { name: label });
      expect(link.getAttribute("href")).toBe("/his/subscription");
      fireEvent.click(link);
      expect(shownView()).toBe("subscription");
    });
  }

  test("is an alarm at the end, a warning shortly before, and neutral as an early reminder", async () => {
    for (const [hours, look, role] of [
      [-1, "banner is-bad", "alert"],
      [30, "banner is-warn", "status"],
      [120, "banner", "status"],
    ] as const) {
      await showBanner(hours);
      expect([banner()?.className, banner()?.getAttribute("role")]).toEqual([look, role]);
      cleanup();
    }
  });

  test("changes to the next stage within a minute, in an open page", async () => {
    await showBanner(0.01);
    expect(banner()?.className).toContain("is-warn");
    await pass(60_000);
    expect(banner()?.className).toContain("is-bad");
  });
});
