import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { type GeneratedInstance, generateStudy } from "../../scripts/demo/phantom/study.ts";
import type { Study } from "../../src/shared/api/studies.ts";
import { launchBrowser } from "../support/browser.ts";
import { tabTo } from "../support/keyboard.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { createTestApp, type Person, type TestApp } from "../support/test-app.ts";
import { visit, watchForTrouble } from "../support/watched-page.ts";

const RESULTS = join(import.meta.dir, "../../test-results");
const START_TIMEOUT_MS = 120_000;
const JOB_TIMEOUT_MS = 120_000;

const slicesOf = (seed: string, size = 128) => [
  ...generateStudy({ kind: "ct-head", seed, size, instances: 24 }),
];

function zipOf(...studies: GeneratedInstance[][]): Buffer {
  const entries = studies.flatMap((study, n) =>
    study.map(({ fileName, bytes }) => [`E${n}/${fileName}`, bytes]),
  );
  return Buffer.from(zipSync(Object.fromEntries(entries), { level: 0 }));
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });

describe("sending an exam", () => {
  let testApp: TestApp;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    testApp = await createTestApp();
    origin = await testApp.listen();
    browser = await launchBrowser();
    mkdirSync(RESULTS, { recursive: true });
  }, START_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await testApp?.[Symbol.asyncDispose]();
  }, START_TIMEOUT_MS);

  async function newPerson(name: string, plan?: string): Promise<Person> {
    const person = await testApp.addPerson(name, plan ? { plan } : {});
    await testApp.call("POST", "/api/users/accept-terms", { as: person });
    return person;
  }

  /** As this person in the upload view. */
  async function inUpload(
    person: Person,
    job: (page: Page, context: BrowserContext) => Promise<void>,
    options: BrowserContextOptions = { locale: "pt-BR" },
  ) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    context.setDefaultTimeout(20_000);
    await context.addInitScript((token) => localStorage.setItem("token", token), person.token);
    const page = await context.newPage();
    try {
      await visit(page, `${origin}/his`);
      await page.getByRole("main").getByRole("button", { name: "Enviar exames" }).click();
      await button(page, "Escolher ZIP").waitFor();
      await job(page, context);
    } catch (error) {
      await page.screenshot({ path: join(RESULTS, "upload-failed.png") });
      throw error;
    } finally {
      await context.close();
    }
  }

  async function studiesOf(person: Person): Promise<Study[]> {
    const answer = await testApp.call("GET", "/api/studies", { as: person });
    return (await answer.json()) as Study[];
  }

  const pick = (page: Page, buffer: Buffer, name = "exame.zip") =>
    field(page, "Arquivo ZIP do exame").setInputFiles({ name, mimeType: "application/zip", buffer });

  test(
    "fills the contact sheet with its own pictures, tells how much and how long, and ends in the list",
    async () => {
      const person = await newPerson("Helena Duarte");
      const zip = zipOf(slicesOf("contact sheet"));
      await inUpload(person, async (page, context) => {
        const trouble = watchForTrouble(context);
        await pick(page, zip);
        await button(page, "Enviar exame").waitFor();
        expect(await page.locator(".contact-sheet canvas").count()).toBe(0);

        const network = await context.newCDPSession(page);
        const limits = { offline: false, latency: 0, downloadThroughput: -1 };
        // Eighty seconds at this pace: minutes and seconds are told.
        await network.send("Network.emulateNetworkConditions", {
          ...limits,
          uploadThroughput: zip.length / 80,
        });
        await button(page, "Enviar exame").click();
        await page.getByText(/^1 min \d{1,2} s restantes$/).waitFor();
        expect(await button(page, /^Enviando… \d+%$/).isDisabled()).toBe(true);
        await page.getByText(/^[\d,]+ de [\d,]+ MB · /).waitFor();
        await network.send("Network.emulateNetworkConditions", {
          ...limits,
          uploadThroughput: zip.length / 4,
        });
        await page.waitForFunction(() => document.querySelectorAll(".contact-sheet canvas").length >= 10);
        await page.screenshot({ path: join(RESULTS, "upload.png") });
        for (const contrast of await filmContrasts(page)) expect(contrast).toBeGreaterThan(120);

        await page
          .getByText(/Upload concluído|Transferência concluída/)
          .first()
          .waitFor();
        await page.locator("main[data-view=listaExames]").waitFor();
        expect(trouble).toEqual([]);
      });
      expect((await studiesOf(person)).map(({ imagesReceived }) => imagesReceived)).toEqual([
        slicesOf("contact sheet").length,
      ]);
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "works without a mouse, and a date is written as the product's language has it, whatever the browser's",
    async () => {
      const person = await newPerson("Davi Alves");
      const job = async (page: Page) => {
        const choosing = page.waitForEvent("filechooser");
        await tabTo(page, button(page, "Escolher ZIP"));
        await page.keyboard.press("Enter");
        const buffer = zipOf(slicesOf("by keyboard", 32));
        await (await choosing).setFiles({ name: "EXAME.ZIP", mimeType: "application/zip", buffer });
        const birth = field(page, "Data de nascimento");
        await tabTo(page, birth);
        expect(await birth.inputValue()).toMatch(/^\d\d\/\d\d\/\d{4}$/);
        await page.keyboard.press("ControlOrMeta+a");
        await page.keyboard.type("31/2/1970");
        await page.keyboard.press("Enter");
        await page.getByText("Escreva a data como dd/mm/aaaa", { exact: true }).waitFor();
        expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-invalid"))).toBe("true");
        await page.keyboard.press("ControlOrMeta+a");
        await page.keyboard.type("25/3/1970");
        await page.keyboard.press("Tab");
        expect(await birth.inputValue()).toBe("25/03/1970");
        await tabTo(page, field(page, "Data e hora do exame"));
        await page.keyboard.press("ControlOrMeta+a");
        await page.keyboard.type("02-10-2025 7:05");
        await tabTo(page, button(page, "Enviar exame"));
        await page.keyboard.press("Enter");
        await page.locator("main[data-view=listaExames]").waitFor();
      };
      await inUpload(person, job, { locale: "en-US" });
      const [study] = await studiesOf(person);
      expect(study?.patientBirthDate).toBe("1970-03-25");
      expect(study?.examinedAt).toStartWith("2025-10-02T07:05");
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "of several studies at once brings them all",
    async () => {
      const person = await newPerson("Rosa Lima");
      await inUpload(person, async (page) => {
        await pick(page, zipOf(slicesOf("first", 32), slicesOf("second", 32), slicesOf("third", 32)));
        await button(page, "Enviar exame").click();
        await page.locator("main[data-view=listaExames]").waitFor();
        await page.getByText("3 estudos").first().waitFor();
      });
      expect(await studiesOf(person)).toHaveLength(3);
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "beyond 2 GB is refused before a byte is sent",
    async () => {
      await using folder = createTempFolder();
      const path = join(folder.path, "enorme.zip");
      writeFileSync(path, "PK");
      truncateSync(path, 2 * 1024 ** 3 + 1);
      await inUpload(await newPerson("Ivo Reis"), async (page) => {
        await field(page, "Arquivo ZIP do exame").setInputFiles(path);
        await page.getByRole("alert").getByText("Arquivo muito grande. Tamanho máximo: 2 GB.").waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "over a connection that breaks is told, and the same form goes up at the next try",
    async () => {
      const person = await newPerson("Lia Nunes");
      await inUpload(person, async (page) => {
        await page.route("**/api/upload-dicom", (route) => route.abort("connectionreset"), { times: 1 });
        await pick(page, zipOf(slicesOf("broken", 32)));
        await field(page, "Descrição").fill("Crânio, segunda tentativa");
        await button(page, "Enviar exame").click();
        await page.getByText("Erro no upload", { exact: true }).first().waitFor();
        await page.getByText("Erro de conexão durante o upload", { exact: true }).first().waitFor();
        await button(page, "Enviar exame").click();
        await page.locator("main[data-view=listaExames]").waitFor();
        await page.getByText("Crânio, segunda tentativa").first().waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "is closed to a trial user with two exams: dimmed, disabled, with the reason",
    async () => {
      const person = await newPerson("Caio Melo", "avaliacao");
      for (const seed of ["trial 1", "trial 2"]) await testApp.store(person, zipOf(slicesOf(seed, 32)));
      await inUpload(person, async (page) => {
        await page
          .getByText(
            "Limite Excedido: Você já enviou 2 exames e atingiu o limite máximo para usuários de teste.",
          )
          .waitFor();
        expect(await button(page, "Escolher ZIP").isDisabled()).toBe(true);
        expect(await button(page, "Escolher pasta").isDisabled()).toBe(true);
        expect(await page.locator(".drop-zone.is-disabled").getAttribute("aria-disabled")).toBe("true");
      });
    },
    JOB_TIMEOUT_MS,
  );
});

/** Between the darkest and the brightest grey of each picture of the contact sheet. */
function filmContrasts(page: Page): Promise<number[]> {
  return page.locator(".contact-sheet canvas").evaluateAll((canvases) =>
    (canvases as HTMLCanvasElement[]).map((canvas) => {
      const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      const greys = Array.from(pixels).filter((_, at) => at % 4 === 0);
      return Math.max(...greys) - Math.min(...greys);
    }),
  );
}
