import type { Page } from "playwright-core";
import { newRecoveryCodes } from "../../../src/server/features/accounts/factors/recovery-codes.ts";
import type { Factors } from "../../../src/shared/api/factors.ts";
import { button, type View } from "./view.ts";

const since = "2026-10-04T12:00:00Z";
const all: Factors = {
  passkeys: [
    { id: "0190a", name: "Celular da Helena", createdAt: since, lastUsedAt: since, isBackedUp: true },
    { id: "0190b", name: "Mac do consultório", createdAt: since, lastUsedAt: null, isBackedUp: false },
  ],
  passkeysAvailable: true,
  totp: { createdAt: since, lastUsedAt: since },
  recoveryCodesLeft: 2,
};

const answer = (path: string, body: unknown) => (page: Page) =>
  page.route(`**${path}`, (route) => route.fulfill({ json: body }));
const withAll = answer("/api/auth/factors", all);

async function openSecurity(page: Page): Promise<void> {
  await button(page, "Sua conta", "Your account").click();
  await page.getByRole("menuitem").first().click();
  await page.getByRole("tab").nth(1).click();
  await page.locator(".security-parts").waitFor();
}

async function remove(page: Page): Promise<void> {
  await openSecurity(page);
  await page.getByRole("button", { name: /^(Remover|Remove) Celular/ }).click();
}

async function setUpApp(page: Page): Promise<void> {
  await openSecurity(page);
  await button(page, "Configurar", "Set up app").click();
  await button(page, "Continuar", "Continue").click();
  await page.locator(".totp-key").waitFor();
}

async function showCodes(page: Page): Promise<void> {
  await setUpApp(page);
  await answer("/api/auth/totp/confirm", { recoveryCodes: newRecoveryCodes() })(page);
  await page.locator(".code-box").first().click();
  await page.keyboard.type("123456");
  await page.keyboard.press("Enter");
  await page.locator(".recovery-codes").waitFor();
}

/** Passkeys, authenticator app and recovery codes in the profile. */
export const securityViews: Record<string, View> = {
  security: { who: "owner", show: openSecurity },
  "security-all": { who: "owner", prepare: withAll, show: openSecurity },
  "security-remove": { who: "owner", prepare: withAll, show: remove },
  "security-app": { who: "owner", show: setUpApp },
  "security-codes": { who: "owner", show: showCodes },
};
