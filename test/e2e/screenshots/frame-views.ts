import { button, goTo, isPhoneWidth, type View } from "./view.ts";

/** What is around the views of /his, and those that are about the person. */
export const frameViews: Record<string, View> = {
  terms: { who: "stranger", show: (page) => page.locator(".terms-text li").first().waitFor() },
  welcome: { who: "owner" },
  "welcome-inactive": { who: "lapsed" },
  "welcome-top": { who: "owner", stored: { menuPosition: "topbar" } },
  drawer: {
    who: "owner",
    show: (page) => page.locator(".phone-tabs > :last-child").click(),
    only: isPhoneWidth,
  },
  "account-menu": { who: "owner", show: (page) => button(page, "Sua conta", "Your account").click() },
  profile: {
    who: "owner",
    async show(page) {
      await button(page, "Sua conta", "Your account").click();
      await page.getByRole("menuitem").first().click();
      await page.locator("main[data-view=profile] form").waitFor();
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
