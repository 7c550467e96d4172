import type { Page } from "playwright-core";
import { button, field, type View } from "./view.ts";

async function tryToLogIn(page: Page): Promise<void> {
  // Each time somebody else: failures are counted by address.
  await field(page, "E-mail", "E-mail").fill(`helena${String(Math.random()).slice(2, 8)}@example.com`);
  await field(page, "Senha", "Password").fill("senha errada");
  await button(page, "Entrar", "Log in").click();
  await page.locator("[role=alert], .toast").first().waitFor();
}

async function registerWrongly(page: Page): Promise<void> {
  await button(page, "Criar conta", "Create account").click();
  await field(page, "Nome completo", "Full name").fill("Jo");
  await field(page, "CPF ou CNPJ", "CPF or CNPJ").fill("12345");
  await field(page, "Senha", "Password").fill("segredo");
  await button(page, "Criar conta", "Create account").click();
  await page.locator("[aria-invalid=true]").first().waitFor();
}

/** As after a right password, where a code by mail is asked for. */
const waitForCode = (page: Page, methods?: string[]) =>
  page.addInitScript((given) => {
    const pending = { email: "helena.duarte@example.com", keepConnected: false, passwordAt: Date.now() };
    sessionStorage.setItem(
      "pending-sign-in",
      JSON.stringify({ ...pending, ...(given && { methods: given }) }),
    );
  }, methods);

/** What a visitor meets. */
export const entryViews: Record<string, View> = {
  login: {},
  "login-wrong": { show: tryToLogIn },
  "login-expired": { path: "/?expired=true" },
  register: { show: (page) => button(page, "Criar conta", "Create account").click() },
  "register-wrong": { show: registerWrongly },
  forgot: { show: (page) => button(page, "Esqueci minha senha", "Forgot my password").click() },
  reset: { path: "/reset-password/um-token" },
  "two-factor": { prepare: (page) => waitForCode(page) },
  "factor-app": { prepare: (page) => waitForCode(page, ["totp", "passkey", "recovery"]) },
  "factor-passkey": { prepare: (page) => waitForCode(page, ["passkey", "recovery"]) },
  "factor-recovery": {
    prepare: (page) => waitForCode(page, ["passkey", "recovery"]),
    show: (page) => button(page, "Usar um código de recuperação", "Use a recovery code").click(),
  },
  verify: { path: "/verificar" },
  "link-over": { path: "/v/nenhum#x" },
  "not-found": { path: "/nada-aqui" },
};
