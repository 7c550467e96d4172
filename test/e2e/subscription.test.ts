import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import decodeQR from "qr/decode.js";
import type { UsageStats } from "../../src/shared/api/subscriptions.ts";
import type { Person, TestApp } from "../support/app/test-app.ts";
import { violationsOn } from "../support/browser/axe.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  PHONE,
  type Seat,
  tabTo,
  tap,
} from "../support/browser/browser-app.ts";
import { visit } from "../support/browser/watched-page.ts";
import { drawnPicture } from "../support/dicom/picture-pixels.ts";
import { sampleZip } from "../support/zip/sample-zip.ts";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;
const AROUND_PX = 40;
const NARROW = { width: 360, height: 780 };
const WIDE = { width: 1440, height: 900 };
const SUBSCRIPTION = "/his/subscription";
/** Shown to a person without a plan. */
const NO_PLAN = /404/;
/** Shown to a person who opens exams without a plan. */
const CLOSED = /403/;

let app: BrowserApp;
let t: TestApp;
let admin: Person;

beforeAll(async () => {
  app = await createBrowserApp("subscription", {
    env: {
      PIX_KEY: "123e4567-e12b-12d1-a456-426655440000",
      PIX_MERCHANT_NAME: "Exameteca Ltda",
      PIX_MERCHANT_CITY: "Sao Paulo",
    },
  });
  t = app.testApp;
  admin = await app.addPerson("Beatriz Admin", { role: "admin" });
}, START_TIMEOUT_MS);
afterAll(() => app?.[Symbol.asyncDispose](), START_TIMEOUT_MS);

/** Ends the person's subscription so many days from now. */
async function endsIn(person: Person, days: number): Promise<void> {
  const end = new Date(t.deps.clock.now().getTime() + days * 86_400_000).toISOString();
  await t.sql`update subscriptions set expires_at = ${end} where user_id = ${person.id}`;
}

/** As this person at the address of the subscription. */
const inSubscription = (person: Person, job: (page: Page) => Promise<void>, seat: Seat = {}) =>
  app.as(person, seat, async (page) => {
    await visit(page, app.origin + SUBSCRIPTION);
    await job(page);
  });

const pix = (page: Page) => page.getByRole("dialog", { name: "Pagar com Pix" });
const code = (page: Page) => pix(page).getByLabel("Pix copia e cola").inputValue();

async function makePix(page: Page, plan: string): Promise<void> {
  await button(page, plan).click();
  await button(page, "Gerar Pix").click();
  await pix(page).getByRole("img", { name: "QR Code Pix" }).waitFor();
}

/** The code that a phone reads from the screen. */
async function scannedCode(page: Page): Promise<string> {
  const image = pix(page).getByRole("img", { name: "QR Code Pix" });
  await image.scrollIntoViewIfNeeded();
  const box = await image.boundingBox();
  if (!box) throw new Error("the QR code is not drawn");
  // With some of what is around it, as a camera sees it.
  const clip = {
    ...{ x: Math.max(0, box.x - AROUND_PX), y: Math.max(0, box.y - AROUND_PX) },
    ...{ width: box.width + 2 * AROUND_PX, height: box.height + 2 * AROUND_PX },
  };
  const { width, height, at } = await drawnPicture(await page.screenshot({ clip }));
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) data.set(at(x, y), (y * width + x) * 3);
  }
  return decodeQR({ width, height, data });
}

function confirmAsAdmin(email: string): Promise<void> {
  return inSubscription(admin, async (page) => {
    const row = page.getByRole("listitem").filter({ hasText: email });
    await row.getByRole("button", { name: "Confirmar" }).click();
    await button(page, "Sim, recebi").click();
    await page.getByText("Pagamento confirmado").first().waitFor();
  });
}

/** As an admin does, without their page. */
async function confirmByCall(person: Person): Promise<void> {
  const [payment] = await t.sql`select id from payments where user_id = ${person.id} and status = 'pending'`;
  const confirmed = await t.call("POST", `/api/payments/${payment?.id}/confirm`, { as: admin });
  expect(confirmed.status).toBe(200);
}

describe("a trial at its limit", () => {
  test(
    "is paid by Pix and confirmed by an admin, and can upload again without a reload",
    async () => {
      const person = await app.addPerson("Taro Yamada", { plan: "avaliacao" });
      await t.store(person, sampleZip({ study: "11" }));
      await t.store(person, sampleZip({ study: "12" }));
      await endsIn(person, 2);
      await app.as(person, {}, async (page) => {
        await button(page, "Enviar exames").first().click();
        await page.getByText("Limite Excedido").waitFor();
        const banner = page.getByText("Sua assinatura expira em 2 dias.");
        await banner.waitFor();
        await page.getByRole("link", { name: "Renovar" }).click();
        await page.getByRole("heading", { name: "Plano Avaliação" }).waitFor();
        await makePix(page, "Assinar Essencial");
        expect(await scannedCode(page)).toBe(await code(page));
        await confirmAsAdmin(person.email);
        await page.getByRole("heading", { name: "Pagamento confirmado" }).waitFor();
        await page.getByRole("dialog").waitFor({ state: "detached" });
        await page.getByRole("heading", { name: "Plano Essencial" }).waitFor();
        await banner.waitFor({ state: "detached" });
        await uploadAnother(page);
      });
    },
    JOB_TIMEOUT_MS,
  );

  async function uploadAnother(page: Page): Promise<void> {
    await page.getByRole("navigation").getByRole("button", { name: "Enviar exames" }).click();
    const file = {
      name: "exame.zip",
      mimeType: "application/zip",
      buffer: Buffer.from(sampleZip({ study: "13" })),
    };
    await page.getByLabel("Arquivo ZIP do exame").setInputFiles(file);
    await button(page, "Enviar exame").click();
    await page.locator("main[data-view=listaExames]").waitFor();
    await page.getByText("3 / 10").waitFor();
  }
});

test(
  "what a plan leaves stands beside the number of each of its meters at home, also in gigabytes",
  async () => {
    const person = await app.addPerson("Rita Medida");
    await t.store(person, sampleZip({ study: "31" }));
    const seat: Seat = { device: { viewport: WIDE } };
    await app.as(person, seat, async (page) => {
      await page.route("**/usage-stats", async (route) => {
        const response = await route.fetch();
        const stats: UsageStats = await response.json();
        const storage = { storageUsedBytes: 850 * MIB, storageBytes: 100 * GIB };
        await route.fulfill({ response, json: { ...stats, ...storage } });
      });
      await page.reload();
      await page.getByText("restam 99,2 GB").waitFor();
      const lines = await page.locator(".home-meters .meter-top").evaluateAll((tops) =>
        tops.map((top) => {
          const [number, rest] = [...top.children].slice(-2).map((part) => part.getBoundingClientRect());
          return Math.abs((number?.bottom ?? 0) - (rest?.bottom ?? 0));
        }),
      );
      expect(lines).toHaveLength(3);
      expect(Math.max(...lines)).toBeLessThan(6);
    });
  },
  JOB_TIMEOUT_MS,
);

describe("a Pix", () => {
  test(
    "is the same in two tabs at once, and both learn that it was paid",
    async () => {
      const person = await app.addPerson("Ana Duas Abas", { plan: null });
      await app.as(person, { expected: [NO_PLAN, CLOSED] }, async (page) => {
        const other = await page.context().newPage();
        for (const tab of [page, other]) {
          await visit(tab, app.origin + SUBSCRIPTION);
          await button(tab, "Assinar Essencial").click();
        }
        await Promise.all([page, other].map((tab) => button(tab, "Gerar Pix").click()));
        expect(await code(page)).toBe(await code(other));
        await confirmByCall(person);
        for (const tab of [page, other]) {
          await tab.bringToFront();
          await tab.getByRole("heading", { name: "Plano Essencial" }).waitFor();
          await tab.getByText("Ativa", { exact: true }).waitFor();
        }
      });
    },
    JOB_TIMEOUT_MS,
  );

  for (const theme of ["dark", "light"] as const) {
    test(
      `can be read off a screen of 360 and of 1440 pixels and copied, in the ${theme} theme`,
      async () => {
        const person = await app.addPerson(`Lia ${theme}`, { plan: "essencial" });
        const job = async (page: Page) => {
          await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
          await makePix(page, "Assinar Profissional");
          for (const viewport of [NARROW, WIDE]) {
            await page.setViewportSize(viewport);
            expect(await scannedCode(page)).toBe(await code(page));
            await page.evaluate(() => navigator.clipboard.writeText(""));
            // The button says so for three seconds, which a busy machine may take to end the click.
            await Promise.all([
              button(page, "Código copiado").waitFor(),
              button(page, /^(Copiar código Pix|Código copiado)$/).click(),
            ]);
            expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await code(page));
            expect(await violationsOn(page)).toEqual([]);
          }
        };
        await inSubscription(person, job, { device: { viewport: NARROW }, theme });
      },
      JOB_TIMEOUT_MS,
    );
  }
});

describe("the subscription view", () => {
  test(
    "asks an admin in a step of the history: Back closes the question, Forward and a reload restore it, by touch",
    async () => {
      const person = await app.addPerson("Davi Voltado", { plan: "essencial" });
      const plan = await t.sql`select id from plans where slug = 'familia'`;
      await t.call("POST", "/api/payments/create", { as: person, json: { planId: plan[0]?.id } });
      const job = async (page: Page) => {
        const row = page.getByRole("listitem").filter({ hasText: person.email });
        const question = page.getByRole("alertdialog", { name: "Confirmar este pagamento?" });
        await tap(page, row.getByRole("button", { name: "Confirmar" }));
        await question.waitFor();
        await page.goBack();
        await question.waitFor({ state: "detached" });
        await page.goForward();
        await question.waitFor();
        await page.reload();
        await question.waitFor();
        await tap(page, button(question, "Cancelar"));
        await question.waitFor({ state: "detached" });
        await tap(page, page.getByRole("tab", { name: "Planos" }));
        await tap(page, button(page, "Editar o plano Essencial"));
        await page.getByRole("dialog").waitFor();
        await page.reload();
        await page.getByRole("dialog").getByLabel("Preço (R$)").waitFor();
        await page.goBack();
        await page.getByRole("dialog").waitFor({ state: "detached" });
        await button(page, "Editar o plano Essencial").waitFor();
        expect(new URL(page.url()).pathname).toBe(SUBSCRIPTION);
      };
      await inSubscription(admin, job, { device: PHONE });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "has its own address while it is shown",
    async () => {
      const person = await app.addPerson("Rita Endereço", { plan: "essencial" });
      await inSubscription(person, async (page) => {
        const path = () => new URL(page.url()).pathname;
        await page.getByRole("heading", { name: "Plano Essencial" }).waitFor();
        await button(page, "Suporte").click();
        await page.locator("main[data-view=support]").waitFor();
        expect(path()).toBe("/his");
        await button(page, "Assinatura").click();
        await page.getByRole("heading", { name: "Plano Essencial" }).waitFor();
        expect(path()).toBe(SUBSCRIPTION);
        await page.reload();
        await page.getByRole("heading", { name: "Plano Essencial" }).waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "cancels by keyboard alone: the exams are gone at once, the menus close, and no dialog has a violation",
    async () => {
      const person = await app.addPerson("Hugo Teclado", { plan: "essencial" });
      await t.store(person, sampleZip({ study: "31" }));
      await inSubscription(
        person,
        async (page) => {
          await tabTo(page, button(page, "Cancelar assinatura"));
          await page.keyboard.press("Enter");
          const field = page.getByRole("alertdialog").getByRole("textbox");
          await field.waitFor();
          expect(await violationsOn(page)).toEqual([]);
          await tabTo(page, field);
          await page.keyboard.type("cancelar");
          await page.keyboard.press("Enter");
          await page.getByText("Seus exames foram excluídos").waitFor();
          await page.getByText("Escolha um plano quando quiser voltar").waitFor();
          await page.locator(".side .nav[aria-disabled=true]", { hasText: "Meus exames" }).waitFor();
          expect(await violationsOn(page)).toEqual([]);
          await tabTo(page, page.getByRole("tab", { name: "Planos disponíveis" }));
          await page.keyboard.press("ArrowRight");
          await page.locator(".usage-list").getByText("Envio").waitFor();
          expect(await violationsOn(page)).toEqual([]);
        },
        { expected: [CLOSED] },
      );
      const studies = await t.call("GET", "/api/studies", { as: person });
      expect(studies.status).toBe(403);
    },
    JOB_TIMEOUT_MS,
  );
});

// Last, since it moves the server's clock away from the browser's.
describe("an open Pix", () => {
  test(
    "can be closed and paid later, and is replaced by a new code when it has expired",
    async () => {
      const person = await app.addPerson("Caio Atrasado", { plan: "essencial" });
      await inSubscription(person, async (page) => {
        await makePix(page, "Assinar Família");
        const first = await code(page);
        await page.keyboard.press("Escape");
        await button(page, "Continuar pagamento").click();
        expect(await code(page)).toBe(first);
        t.advance(31 * 60_000);
        await pix(page).getByText("Este código Pix expirou").waitFor();
        await button(page, "Gerar novo código").click();
        await pix(page).getByRole("img", { name: "QR Code Pix" }).waitFor();
        expect(await code(page)).not.toBe(first);
        expect(await pix(page).getByRole("timer").textContent()).toMatch(/^(30:00|29:5\d)$/);
      });
    },
    JOB_TIMEOUT_MS,
  );
});
