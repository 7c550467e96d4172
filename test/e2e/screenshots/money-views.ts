import type { Page } from "playwright-core";
import { button, fail, goTo, settle, type View } from "./view.ts";

const openSubscription = (page: Page) => goTo(page, "subscription", "Assinatura", "Subscription");

async function choosePlan(page: Page): Promise<void> {
  await openSubscription(page);
  await page
    .getByRole("button", { name: /^(Assinar|Subscribe to) / })
    .first()
    .click();
  await page.getByRole("dialog").waitFor();
}

async function makePix(page: Page): Promise<void> {
  await choosePlan(page);
  await button(page.getByRole("dialog"), "Gerar Pix", "Generate Pix").click();
  await page.getByRole("dialog").locator("img").first().waitFor();
}

/** Subscriptions and payments. */
export const moneyViews: Record<string, View> = {
  subscription: { who: "owner", show: openSubscription },
  "subscription-history": {
    who: "owner",
    async show(page) {
      await openSubscription(page);
      await page.getByRole("tab").nth(1).click();
      await settle(page);
    },
  },
  "subscription-none": { who: "lapsed", show: openSubscription },
  "subscription-expiring": { who: "expiring" },
  "subscription-reminder": { who: "reminded" },
  "subscription-expired": { who: "ended" },
  "subscription-error": {
    who: "owner",
    prepare: fail("**/api/subscriptions/plans"),
    async show(page) {
      await openSubscription(page);
      await page.locator(".error-card, .subscription-failed").first().waitFor();
    },
  },
  "subscription-cancel": {
    who: "owner",
    async show(page) {
      await openSubscription(page);
      await button(page, "Cancelar assinatura", "Cancel subscription").click();
      await page.locator("[role=dialog], [role=alertdialog]").waitFor();
    },
  },
  "subscription-admin": {
    who: "admin",
    show: (page) => goTo(page, "subscription", "Assinaturas", "Subscriptions"),
  },
  "plan-confirm": { who: "owner", show: choosePlan },
  pix: { who: "trial", show: makePix },
  "subscription-pending": { who: "trial", show: openSubscription },
  payments: { who: "trial", show: (page) => goTo(page, "paymentHistory", "Pagamentos", "Payments") },
  "payments-empty": {
    who: "newcomer",
    show: (page) => goTo(page, "paymentHistory", "Pagamentos", "Payments"),
  },
};
