import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { type Locale, locales } from "../../src/shared/locale.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  enter,
  field,
  tabTo,
} from "../support/browser/browser-app.ts";
import { visit } from "../support/browser/watched-page.ts";
import { texts as screenTexts } from "../support/client/screen-texts.ts";
import { codeIn, linkIn } from "../support/mail/outbox.ts";
import { startSmtpServer, type TestSmtpServer } from "../support/mail/smtp-server.ts";

const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;
/** The message in a session that ended elsewhere. */
const SESSION_OVER = /401/;

/** What the person reads and looks for, written out. */
const accountTexts = {
  "pt-BR": {
    verify: "Verificar",
    digit: "Dígito 1",
    codeSubject: "Seu código de verificação da Exameteca",
    accept: "Aceitar",
    hasRead: "Li os termos e concordo com eles",
    account: "Sua conta",
    profile: "Perfil",
    save: "Salvar",
    saved: "Perfil atualizado",
    forgot: "Esqueci minha senha",
    sendLink: "Enviar link",
    linkSent: /Se houver uma conta para/,
    resetSubject: "Redefina sua senha da Exameteca",
    newPassword: "Nova senha",
    savePassword: "Salvar nova senha",
    passwordChanged: "Senha alterada. Entre com a nova.",
  },
  "en-US": {
    verify: "Verify",
    digit: "Digit 1",
    codeSubject: "Your Exameteca verification code",
    accept: "Accept",
    hasRead: "I have read the terms and agree to them",
    account: "Your account",
    profile: "Profile",
    save: "Save",
    saved: "Profile updated",
    forgot: "Forgot my password",
    sendLink: "Send link",
    linkSent: /If there is an account for/,
    resetSubject: "Reset your Exameteca password",
    newPassword: "New password",
    savePassword: "Save new password",
    passwordChanged: "Password changed. Log in with the new one.",
  },
} as const satisfies Record<Locale, unknown>;

const textsOf = (locale: Locale) => ({ ...screenTexts[locale], ...accountTexts[locale] });
type Texts = ReturnType<typeof textsOf>;

interface Credentials {
  email: string;
  password: string;
}

describe("an account", () => {
  let mails: TestSmtpServer;
  let app: BrowserApp;

  beforeAll(async () => {
    mails = await startSmtpServer();
    app = await createBrowserApp("accounts", {
      env: { SMTP_URL: mails.url, ADMIN_EMAIL: "admin@example.com" },
    });
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await app?.[Symbol.asyncDispose]();
    await mails?.[Symbol.asyncDispose]();
  }, START_TIMEOUT_MS);

  async function signIn(page: Page, t: Texts, { email, password }: Credentials): Promise<void> {
    await field(page, t.email).fill(email);
    await field(page, t.password).fill(password);
    await button(page, t.logIn).click();
    const mail = await mails.nextMail(email);
    expect(mail.subject).toBe(t.codeSubject);
    await field(page, t.digit).click();
    expect(await button(page, t.verify).isDisabled()).toBe(true);
    await page.keyboard.type(codeIn(mail));
    await button(page, t.verify).click();
    await page.waitForURL("**/his");
    await page.locator("main[data-view=welcome]").waitFor();
  }

  for (const locale of locales) {
    test(
      `is made, accepts the terms, is changed, gets a new password and loses its old sessions, in ${locale}`,
      () =>
        app.asVisitor({ expected: [SESSION_OVER] }, async (page) => {
          const t = textsOf(locale);
          const person = { email: `conta.${locale.toLowerCase()}@example.com`, password: "segredo1" };
          await button(page, locale === "pt-BR" ? "PT" : "EN").click();
          await register(page, t, person);
          await signIn(page, t, person);
          await acceptTerms(page, t);
          await rename(page, t, "João da Conceição");
          await button(page, t.logOut).click();
          await page.getByRole("heading", { name: t.logIn }).waitFor();
          await signIn(page, t, person);
          expect(await page.getByRole("dialog").count()).toBe(0);

          const other = await page.context().newPage();
          await visit(other, app.origin);
          await askForLink(other, t, person.email);
          const mail = await mails.nextMail(person.email);
          expect(mail.subject).toBe(t.resetSubject);

          await resetPassword(other, t, `${app.origin}${linkIn(mail).pathname}`, "cavalo-azul");
          await page.getByText(t.passwordChanged).waitFor();
          expect(new URL(page.url()).search).toBe("");
          await signIn(other, t, { ...person, password: "cavalo-azul" });
        }),
      JOB_TIMEOUT_MS,
    );
  }

  test(
    "works with the keyboard alone",
    () =>
      app.asVisitor({}, async (page) => {
        const t = textsOf("pt-BR");
        const { email, password } = { email: "teclado@example.com", password: "segredo1" };
        const { keyboard } = page;
        const type = async (label: string, text: string) => {
          await tabTo(page, field(page, label));
          await keyboard.type(text);
        };
        await enter(page, button(page, t.createAccount));
        await type(t.name, "Teclado");
        await type(t.email, email);
        await type(t.taxId, "52998224725");
        await type(t.password, password);
        await type(t.confirmPassword, password);
        await keyboard.press("Enter");
        await page.getByText(t.accountCreated).waitFor();

        await type(t.email, email);
        await type(t.password, password);
        await keyboard.press("Enter");
        const code = codeIn(await mails.nextMail(email));
        await field(page, t.digit).waitFor();
        await keyboard.type(code);
        await keyboard.press("Enter");
        await page.waitForURL("**/his");

        const terms = page.getByRole("dialog");
        await terms.getByRole("heading", { level: 3 }).first().waitFor();
        await keyboard.press("Escape");
        await tabTo(page, terms.getByRole("checkbox"));
        await keyboard.press("Space");
        await tabTo(page, button(terms, t.accept));
        await keyboard.press("Enter");
        await terms.waitFor({ state: "detached" });

        await enter(page, button(page, t.account));
        await page.getByRole("menuitem", { name: t.profile }).waitFor();
        await keyboard.press("Enter");
        await tabTo(page, field(page, t.name));
        await keyboard.press("End");
        await keyboard.type(" da Silva");
        await keyboard.press("Enter");
        await page.getByText(t.saved).first().waitFor();
        await page.getByRole("heading", { name: "Teclado da Silva" }).waitFor();

        await enter(page, button(page, t.logOut));
        await enter(page, button(page, t.forgot));
        await type(t.email, email);
        await keyboard.press("Enter");
        const { pathname } = linkIn(await mails.nextMail(email));
        await visit(page, `${app.origin}${pathname}`);
        await type(t.newPassword, "cavalo-azul");
        await type(t.confirmPassword, "cavalo-azul");
        await keyboard.press("Enter");
        await page.getByText(t.passwordChanged).waitFor();
      }),
    JOB_TIMEOUT_MS,
  );
});

async function register(page: Page, t: Texts, { email, password }: Credentials): Promise<void> {
  await button(page, t.createAccount).click();
  await field(page, t.name).fill("João Conceição");
  await field(page, t.email).fill(email);
  await field(page, t.taxId).pressSequentially("52998224725");
  await field(page, t.password).fill(password);
  await field(page, t.confirmPassword).fill(password);
  await button(page, t.createAccount).click();
  await page.getByText(t.accountCreated).waitFor();
}

/** After trying to get past them. */
async function acceptTerms(page: Page, t: Texts): Promise<void> {
  const terms = page.getByRole("dialog");
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 5);
  expect(await button(terms, t.accept).isDisabled()).toBe(true);
  await field(terms, t.hasRead).check();
  await button(terms, t.accept).click();
  await terms.waitFor({ state: "detached" });
}

async function rename(page: Page, t: Texts, name: string): Promise<void> {
  await button(page, t.account).click();
  await page.getByRole("menuitem", { name: t.profile }).click();
  await field(page, t.name).fill(name);
  await button(page, t.save).click();
  await page.getByText(t.saved).first().waitFor();
  await page.getByRole("heading", { name }).waitFor();
}

async function askForLink(page: Page, t: Texts, email: string): Promise<void> {
  await button(page, t.forgot).click();
  await field(page, t.email).fill(email);
  await button(page, t.sendLink).click();
  await page.getByText(t.linkSent).waitFor();
}

async function resetPassword(page: Page, t: Texts, url: string, password: string): Promise<void> {
  await visit(page, url);
  await field(page, t.newPassword).fill(password);
  await field(page, t.confirmPassword).fill(password);
  await button(page, t.savePassword).click();
  await page.getByText(t.passwordChanged).waitFor();
  expect(new URL(page.url()).pathname).toBe("/");
}
