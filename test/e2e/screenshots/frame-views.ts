import type { Page } from "playwright-core";
import type { NotificationList } from "../../../src/shared/api/notifications.ts";
import { button, fail, goTo, hang, isPhoneWidth, type View } from "./view.ts";

const study = { id: "01900000-0000-7000-8000-000000000001", studyDescription: "TC de crânio sem contraste" };
const told = (page: Page) => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const notification = (n: number) => ({
    id: `01900000-0000-7000-8000-00000000000${n}`,
    ...{ at: hoursAgo(n * 9), readAt: n > 2 ? hoursAgo(1) : null, actorName: null, study: null, details: {} },
  });
  const list: NotificationList = {
    unread: 2,
    notifications: [
      { ...notification(1), event: "report.attached", actorName: "Dra. Inês Leão", study },
      {
        ...notification(2),
        event: "plan.ending",
        details: { planName: "Família", expiresAt: hoursAgo(-40) },
      },
      { ...notification(3), event: "study.shared", actorName: "João A. Gonçalves", study },
      { ...notification(4), event: "payment.confirmed", details: { amount: 3990, planName: "Família" } },
    ],
  };
  return page.route("**/api/notifications", (route) => route.fulfill({ json: list }));
};

/** What is around the views of /his, and those that are about the person. */
export const frameViews: Record<string, View> = {
  terms: { who: "stranger", show: (page) => page.locator(".terms-text li").first().waitFor() },
  welcome: { who: "owner" },
  "welcome-doctor": { who: "doctor", show: (page) => page.locator(".film-card").first().waitFor() },
  "welcome-empty": { who: "newcomer", show: (page) => page.locator(".home-start").waitFor() },
  "welcome-waiting": { who: "owner", prepare: hang("**/api/{studies,shared-with-me}**") },
  "welcome-failed": {
    who: "owner",
    prepare: fail("**/api/{studies,shared-with-me}*"),
    show: (page) => page.locator(".error-card").first().waitFor(),
  },
  notifications: {
    who: "owner",
    prepare: told,
    async show(page) {
      await page.locator(".bell").click();
      await page.locator(".notification").first().waitFor();
    },
  },
  "welcome-told": {
    who: "owner",
    prepare: told,
    show: (page) => page.locator(".home-row").first().waitFor(),
  },
  "welcome-inactive": { who: "lapsed" },
  "welcome-top": { who: "owner", stored: { menuPosition: "topbar" } },
  drawer: {
    who: "owner",
    show: (page) => page.locator(".phone-tabs > :last-child").click(),
    only: isPhoneWidth,
  },
  "account-menu": { who: "owner", show: (page) => button(page, "Sua conta", "Your account").click() },
  help: { who: "owner", show: (page) => goTo(page, "help", "Ajuda", "Help") },
  "help-page": { path: "/ajuda" },
  sample: {
    who: "newcomer",
    async show(page) {
      await button(page, "Abrir o exame de exemplo", "Open the sample exam").click();
      await page.locator(".visor canvas[data-slice]").waitFor();
    },
  },
  support: { who: "owner", show: (page) => goTo(page, "support", "Suporte", "Support") },
  "support-wrong": {
    who: "owner",
    async show(page) {
      await goTo(page, "support", "Suporte", "Support");
      await page.locator("main button[type=submit]").click();
      await page.locator("[aria-invalid=true]").first().waitFor();
    },
  },
  "support-sent": {
    who: "owner",
    prepare: (page) => page.route("**/api/support/send", (route) => route.fulfill({ status: 200, json: {} })),
    async show(page) {
      await goTo(page, "support", "Suporte", "Support");
      await page.locator("main input:not([type=file])").fill("Não consigo abrir um exame");
      await page.locator("main textarea").fill("A lista mostra o exame, mas as imagens não aparecem.");
      await page.locator("main button[type=submit]").click();
      await page.locator(".notice.is-ok").waitFor();
    },
  },
};
