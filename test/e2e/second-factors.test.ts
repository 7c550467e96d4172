import { afterAll, beforeAll, expect, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import { type Locale, locales } from "../../src/shared/locale.ts";
import { totpAt } from "../support/app/factors.ts";
import type { Person } from "../support/app/test-app.ts";
import { violationsOn } from "../support/browser/axe.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  field,
  PHONE,
  tap,
} from "../support/browser/browser-app.ts";
import { visit } from "../support/browser/watched-page.ts";
import { texts as screenTexts } from "../support/client/screen-texts.ts";
import { linkIn, readOutbox } from "../support/mail/outbox.ts";

const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;

const securityTexts = {
  "pt-BR": {
    account: "Sua conta",
    profile: "Perfil",
    access: "Programas e aparelhos",
    addPasskey: "Adicionar chave de acesso",
    continue: "Continuar",
    kept: "Já guardei os códigos",
    notUsed: /ainda sem uso/,
    withPasskey: "Entrar com chave de acesso",
    usePasskey: "Usar chave de acesso",
    confirmItIsYou: "Confirme que é você",
    useRecovery: "Usar um código de recuperação",
    code: "Código",
    verify: "Verificar",
    wrongCode: "Código incorreto ou vencido.",
    back: "Voltar ao login",
    removeNamed: /^Remover (?!o aplicativo)/,
    yourPassword: "Sua senha",
    remove: "Remover",
    passkeyRemoved: "Chave de acesso removida",
    setUp: "Configurar",
    confirm: "Confirmar",
    digit: "Dígito 1",
    appAdded: "Aplicativo autenticador configurado",
    appLead: "Digite os 6 dígitos que seu aplicativo autenticador mostra.",
    newPassword: "Nova senha",
    savePassword: "Salvar nova senha",
    passwordChanged: "Senha alterada. Entre com a nova.",
  },
  "en-US": {
    account: "Your account",
    profile: "Profile",
    access: "Programs and devices",
    addPasskey: "Add passkey",
    continue: "Continue",
    kept: "I have kept them",
    notUsed: /not used yet/,
    withPasskey: "Log in with a passkey",
    usePasskey: "Use a passkey",
    confirmItIsYou: "Confirm it is you",
    useRecovery: "Use a recovery code",
    code: "Code",
    verify: "Verify",
    wrongCode: "Wrong or expired code.",
    back: "Back to login",
    removeNamed: /^Remove (?!the authenticator)/,
    yourPassword: "Your password",
    remove: "Remove",
    passkeyRemoved: "Passkey removed",
    setUp: "Set up app",
    confirm: "Confirm",
    digit: "Digit 1",
    appAdded: "Authenticator app set up",
    appLead: "Enter the 6 digits that your authenticator app shows.",
    newPassword: "New password",
    savePassword: "Save new password",
    passwordChanged: "Password changed. Log in with the new one.",
  },
} as const satisfies Record<Locale, unknown>;
const textsOf = (locale: Locale) => ({ ...screenTexts[locale], ...securityTexts[locale] });
type Texts = ReturnType<typeof textsOf>;

let app: BrowserApp;
beforeAll(async () => {
  app = await createBrowserApp("second-factors", { hostname: "localhost" });
}, START_TIMEOUT_MS);
afterAll(() => app?.[Symbol.asyncDispose](), START_TIMEOUT_MS);

/** A phone's or laptop's own authenticator, whose person always puts the finger on it. */
async function addAuthenticator(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  await devTools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", automaticPresenceSimulation: true },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    },
  });
}

/** Where the browser offers no passkeys by itself: its authenticator would take any offer at once. */
const withoutOffers = (context: BrowserContext) =>
  context.addInitScript(() => {
    // A page that is still blank has none.
    if (!window.isSecureContext || !window.PublicKeyCredential) return;
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });

async function addPasskey(page: Page, t: Texts): Promise<void> {
  await addAuthenticator(page);
  await openProfile(page, t);
  await button(page, t.addPasskey).click();
  expect(await violationsOn(page)).toEqual([]);
  await button(page.getByRole("dialog"), t.continue).click();
  await page.locator(".recovery-codes li").nth(9).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await button(page, t.kept).click();
  await page.getByText(t.notUsed).waitFor();
}

async function openProfile(page: Page, t: Texts): Promise<void> {
  await button(page, t.account).click();
  await page.getByRole("menuitem", { name: t.profile }).click();
  await page.getByRole("tab", { name: t.access }).click();
  await button(page, t.addPasskey).waitFor();
}

async function logOut(page: Page, t: Texts): Promise<void> {
  await button(page, t.logOut).click();
  await page.getByRole("heading", { name: t.logIn }).waitFor();
}

async function logIn(page: Page, t: Texts, { email, password }: Pick<Person, "email" | "password">) {
  await field(page, t.email).fill(email);
  await field(page, t.password).fill(password);
  await button(page, t.logIn).click();
}

async function arrive(page: Page): Promise<void> {
  await page.waitForURL("**/his");
  await page.locator("main[data-view=welcome]").waitFor();
}

/** A new password by the link in the mailbox. */
async function resetByMail(page: Page, t: Texts, { email }: Person, password: string): Promise<void> {
  const json = { email };
  await app.testApp.call("POST", "/api/auth/forgot-password", { json });
  await app.testApp.settle();
  const mails = await readOutbox(app.testApp.deps.config.dataDir);
  const { pathname } = linkIn(mails.findLast((mail) => mail.to.includes(email) && /reset/.test(mail.text)));
  await visit(page, `${app.origin}${pathname}`);
  await page.locator("input[type=password]").first().fill(password);
  await field(page, t.confirmPassword).fill(password);
  await button(page, t.savePassword).click();
  await page.getByText(t.passwordChanged).waitFor();
}

for (const locale of locales) {
  test(
    `a passkey is added, signs in, and outlives the loss of the mailbox, in ${locale}`,
    async () => {
      const t = textsOf(locale);
      const person = await app.addPerson(`Helena ${locale}`);
      const seat = { language: locale, prepare: withoutOffers, expected: [/401/] };
      await app.as(person, seat, async (page) => {
        await addPasskey(page, t);
        await logOut(page, t);
        await button(page, t.withPasskey).click();
        await arrive(page);
        await logOut(page, t);

        await resetByMail(page, t, person, "senha-do-ladrao");
        await logIn(page, t, { email: person.email, password: "senha-do-ladrao" });
        await page.getByRole("heading", { name: t.confirmItIsYou }).waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await button(page, t.useRecovery).click();
        await field(page, t.code).fill("0000-0000-0000-0000");
        await button(page, t.verify).click();
        await page.getByText(t.wrongCode).first().waitFor();
        await button(page, t.usePasskey).click();
        await button(page, t.usePasskey).click();
        await arrive(page);

        await openProfile(page, t);
        await page.getByRole("button", { name: t.removeNamed }).click();
        const question = page.getByRole("alertdialog");
        await field(question, t.yourPassword).fill("senha-do-ladrao");
        expect(await violationsOn(page)).toEqual([]);
        await button(question, t.remove).click();
        await page.getByText(t.passkeyRemoved).first().waitFor();
        expect(await page.locator(".passkeys li").count()).toBe(0);
      });
    },
    JOB_TIMEOUT_MS,
  );
}

test(
  "a passkey that the browser offers in the e-mail field signs in as soon as it is taken",
  async () => {
    const t = textsOf("pt-BR");
    const person = await app.addPerson("Aceita Oferta");
    await app.as(person, {}, async (page) => {
      await addPasskey(page, t);
      await button(page, t.logOut).click();
      await page.waitForResponse((answer) => answer.url().endsWith("/api/auth/passkeys/sign-in"));
      await arrive(page);
    });
  },
  JOB_TIMEOUT_MS,
);

test(
  "an authenticator app is set up with its key, and its code opens the next sign-in",
  async () => {
    const t = textsOf("pt-BR");
    const person = await app.addPerson("Usa Aplicativo");
    await app.as(person, {}, async (page) => {
      const now = () => app.testApp.deps.clock.now();
      await openProfile(page, t);
      await button(page, t.setUp).click();
      await button(page, t.continue).click();
      const secret = ((await page.locator(".totp-key code").textContent()) ?? "").replaceAll(" ", "");
      expect(await violationsOn(page)).toEqual([]);
      await field(page, t.digit).click();
      await page.keyboard.type(totpAt(secret, now()));
      await page.keyboard.press("Enter");
      await button(page, t.kept).click();
      await page.getByText(t.notUsed).waitFor();
      await logOut(page, t);
      await logIn(page, t, person);
      await page.getByText(t.appLead).waitFor();
      expect(await violationsOn(page)).toEqual([]);
      app.testApp.advance(30_000);
      await field(page, t.digit).click();
      await page.keyboard.type(totpAt(secret, now()));
      await button(page, t.verify).click();
      await arrive(page);
    });
  },
  JOB_TIMEOUT_MS,
);

test(
  "Back closes the question about a factor and never loses the recovery codes, by thumb",
  async () => {
    const t = textsOf("pt-BR");
    await app.as(await app.addPerson("Volta Sempre"), { device: PHONE }, async (page) => {
      await addAuthenticator(page);
      await openProfile(page, t);
      const question = page.getByRole("dialog", { name: t.addPasskey });
      await tap(page, button(page, t.addPasskey));
      await question.waitFor();
      await page.goBack();
      await question.waitFor({ state: "detached" });
      await page.goForward();
      await question.waitFor();
      await page.reload();
      await question.waitFor();
      await tap(page, button(question, t.continue));
      const lastCode = page.locator(".recovery-codes li").nth(9);
      await lastCode.waitFor();
      for (let press = 0; press < 2; press++) {
        await page.goBack();
        await page.waitForFunction(() => window.history.state?.place === "/profile/tab/access");
        await lastCode.waitFor();
      }
      await tap(page, button(page, t.kept));
      await page.getByText(t.notUsed).waitFor();
      await page.goBack();
      await page.locator("main[data-view=welcome]").waitFor();
    });
  },
  JOB_TIMEOUT_MS,
);
