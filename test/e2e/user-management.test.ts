import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { createTestApp, type Person, type TestApp } from "../support/app/test-app.ts";
import { launchBrowser } from "../support/browser/browser.ts";
import { WITHOUT_OPTIMIZING, WITHOUT_WORKER } from "../support/browser/browser-app.ts";
import { visit } from "../support/browser/watched-page.ts";

const RESULTS = join(import.meta.dir, "../../test-results");
const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;
const PHONE = { width: 360, height: 780 };
const DESK = { width: 1280, height: 900 };

const button = (place: Page | Locator, name: string) => place.getByRole("button", { name, exact: true });
const field = (place: Page | Locator, label: string) => place.getByLabel(label, { exact: true });

describe("an admin", () => {
  let testApp: TestApp;
  let browser: Browser;
  let origin: string;
  let admin: Person;

  beforeAll(async () => {
    testApp = await createTestApp();
    origin = await testApp.listen();
    browser = await launchBrowser(WITHOUT_OPTIMIZING);
    admin = await testApp.addPerson("Beatriz", { role: "admin" });
    await testApp.call("POST", "/api/users/accept-terms", { as: admin });
    mkdirSync(RESULTS, { recursive: true });
  }, START_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await testApp?.[Symbol.asyncDispose]();
  });

  async function inBrowser(
    viewport: typeof PHONE,
    job: (open: () => Promise<Page>) => Promise<void>,
  ): Promise<void> {
    const contexts: BrowserContext[] = [];
    const open = async () => {
      const context = await browser.newContext({ ...WITHOUT_WORKER, viewport, locale: "pt-BR" });
      contexts.push(context);
      return await context.newPage();
    };
    try {
      await job(open);
    } catch (error) {
      for (const [i, context] of contexts.entries())
        await context.pages()[0]?.screenshot({ path: join(RESULTS, `user-management-failed-${i}.png`) });
      throw error;
    } finally {
      await Promise.all(contexts.map((context) => context.close()));
    }
  }

  async function signIn(page: Page, { email, password }: Pick<Person, "email" | "password">): Promise<void> {
    await field(page, "E-mail").fill(email);
    await field(page, "Senha").fill(password);
    await button(page, "Entrar").click();
    await page.locator("main[data-view=welcome]").waitFor();
  }

  async function openUsers(page: Page): Promise<void> {
    await visit(page, origin);
    await signIn(page, admin);
    if (page.viewportSize()?.width === PHONE.width) await button(page, "Menu").click();
    await button(page, "Gerenciar usuários").click();
    await page.getByText(/^Mostrando/).waitFor();
  }

  test(
    "invites a person, who chooses a password by the link, and blocks them again with a click",
    () =>
      inBrowser(DESK, async (open) => {
        const page = await open();
        await openUsers(page);
        await button(page, "Adicionar usuário").click();
        const dialog = page.getByRole("dialog");
        await field(dialog, "Nome completo").fill("Otávio Brandão");
        await field(dialog, "E-mail").fill("otavio@example.com");
        await field(dialog, "Função").click();
        await page.getByRole("option", { name: "Médico" }).click();
        await button(dialog, "Adicionar").click();
        const link = new URL(await field(dialog, "Convite para Otávio Brandão").inputValue());
        await button(dialog, "Fechar").click();

        const invited = await open();
        await visit(invited, origin + link.pathname);
        await field(invited, "Senha").fill("cavalo-azul");
        await field(invited, "Confirmar senha").fill("cavalo-azul");
        await button(invited, "Salvar senha").click();
        await invited.getByText("Conta criada. Entre com seu e-mail e sua senha.").waitFor();
        await signIn(invited, { email: "otavio@example.com", password: "cavalo-azul" });

        await invited.getByRole("dialog").getByRole("checkbox").check();

        await button(page, "Autorizado. Retirar a autorização de Otávio Brandão").click();
        await button(page, "Não autorizado. Autorizar Otávio Brandão").waitFor();
        // The next call ends the session: this click's, or one that the page makes by itself.
        const ended = invited.getByText("Sessão expirada. Faça login novamente.");
        await button(invited.getByRole("dialog"), "Aceitar").or(ended).first().click();
        await ended.waitFor();
      }),
    JOB_TIMEOUT_MS,
  );

  test(
    "sets the end of a subscription and deletes an account on a phone",
    () =>
      inBrowser(PHONE, async (open) => {
        const person = await testApp.addPerson("Marina");
        const page = await open();
        await openUsers(page);
        const entry = page.getByRole("listitem").filter({ hasText: person.email });
        await button(entry, "Editar Marina").click();
        const dialog = page.getByRole("dialog");
        await field(dialog, "Assinatura termina em").fill("20/05/2031");
        await button(dialog, "Salvar").click();
        await entry.getByText("20-05-2031").waitFor();
        await button(entry, "Excluir Marina").click();
        await button(page.getByRole("alertdialog"), "Excluir").click();
        await page.getByRole("alertdialog").waitFor({ state: "detached" }); // it hides what lies below from roles
        await entry.waitFor({ state: "detached" });
        expect((await testApp.call("GET", "/api/auth/me", { as: person })).status).toBe(401);
      }),
    JOB_TIMEOUT_MS,
  );

  test(
    "who is the last one can't lock themselves out",
    () =>
      inBrowser(DESK, async (open) => {
        const page = await open();
        await openUsers(page);
        await button(page, "Autorizado. Retirar a autorização de Beatriz").click();
        await page.getByText("Falha ao atualizar usuário").first().waitFor();
        await button(page, "Autorizado. Retirar a autorização de Beatriz").waitFor();
      }),
    JOB_TIMEOUT_MS,
  );

  test(
    "receives a message to support, with its image",
    () =>
      inBrowser(DESK, async (open) => {
        const person = await testApp.addPerson("Paula");
        await testApp.call("POST", "/api/users/accept-terms", { as: person });
        const page = await open();
        await visit(page, origin);
        await signIn(page, person);
        // What stands above the button must be there, or it would move under the click.
        await button(page, "Enviar o primeiro exame").waitFor();
        await button(page.getByRole("main"), "Suporte").click();
        await field(page, "Assunto").fill("O envio para");
        await field(page, "Mensagem").fill("Para em 62%.");
        const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
        await page
          .getByLabel("Imagem (opcional)")
          .setInputFiles({ name: "tela.png", mimeType: "image/png", buffer: png });
        await page.getByText("tela.png").waitFor();
        await button(page, "Enviar").click();
        await page.getByText("Mensagem enviada").waitFor();
        const [kept] = await testApp.sql`select subject, user_email, image from support_messages`;
        expect(kept).toMatchObject({ subject: "O envio para", user_email: person.email });
        expect(Buffer.from(kept?.image).equals(png)).toBe(true);
      }),
    JOB_TIMEOUT_MS,
  );
});
