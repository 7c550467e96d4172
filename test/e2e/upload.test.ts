import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import type { Page } from "playwright-core";
import { type GeneratedInstance, generateStudy } from "../../scripts/demo/phantom/study.ts";
import type { Study } from "../../src/shared/api/studies.ts";
import type { Person } from "../support/app/test-app.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  DESK,
  field,
  type Seat,
  tabTo,
} from "../support/browser/browser-app.ts";
import { downloadHashes } from "../support/program/sent-uploads.ts";
import { sha256 } from "../support/program/stored-bytes.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const RESULTS = join(import.meta.dir, "../../test-results");
const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;

const slicesOf = (seed: string, size = 128) => [
  ...generateStudy({ kind: "ct-head", seed, size, instances: 24 }),
];

const focusedId = (page: Page) => page.evaluate(() => document.activeElement?.id);

function zipOf(...studies: GeneratedInstance[][]): Buffer {
  const entries = studies.flatMap((study, n) =>
    study.map(({ fileName, bytes }) => [`E${n}/${fileName}`, bytes]),
  );
  return Buffer.from(zipSync(Object.fromEntries(entries), { level: 0 }));
}

describe("sending an exam", () => {
  let app: BrowserApp;

  beforeAll(async () => {
    app = await createBrowserApp("upload");
  }, START_TIMEOUT_MS);
  afterAll(() => app?.[Symbol.asyncDispose](), START_TIMEOUT_MS);

  /** As this person in the upload view. */
  const inUpload = (person: Person, job: (page: Page) => Promise<void>, seat: Seat = {}) =>
    app.as(person, seat, async (page) => {
      await page.getByRole("navigation").getByRole("button", { name: "Enviar exames" }).click();
      await button(page, "Escolher ZIPs").waitFor();
      await job(page);
    });

  async function studiesOf(person: Person): Promise<Study[]> {
    const answer = await app.testApp.call("GET", "/api/studies", { as: person });
    return (await answer.json()) as Study[];
  }

  const pick = (page: Page, buffer: Buffer, name = "exame.zip") =>
    field(page, "Arquivo ZIP do exame").setInputFiles({ name, mimeType: "application/zip", buffer });

  test(
    "fills the contact sheet with its pictures, shows bytes and time left, and ends in the list",
    async () => {
      const person = await app.addPerson("Helena Duarte");
      const slices = slicesOf("contact sheet");
      const zip = zipOf(slices);
      await inUpload(person, async (page) => {
        await pick(page, zip);
        await button(page, "Enviar exame").waitFor();
        expect(await page.locator(".contact-sheet canvas").count()).toBe(0);
        expect(await page.locator(".contact-sheet").isVisible()).toBe(false);

        const network = await page.context().newCDPSession(page);
        const limits = { offline: false, latency: 0, downloadThroughput: -1 };
        // Eighty seconds at this pace: minutes and seconds are told.
        await network.send("Network.emulateNetworkConditions", {
          ...limits,
          uploadThroughput: zip.length / 80,
        });
        await button(page, "Enviar exame").click();
        await page.getByText(/^falta 1 min \d{1,2} s$/).waitFor();
        expect(await button(page, /^Enviando… \d+%$/).isDisabled()).toBe(true);
        await page.getByText(/^[\d,]+ de [\d,]+ MB · /).waitFor();
        await network.send("Network.emulateNetworkConditions", {
          ...limits,
          uploadThroughput: zip.length / 4,
        });
        // What is told at the end goes again by itself, while the pictures are looked at.
        const told = page.getByText(/Upload concluído|Transferência concluída/).first();
        await Promise.all([told.waitFor(), lookAtFilms(page)]);
        await page.locator("main[data-view=listaExames]").waitFor();
      });
      expect((await studiesOf(person)).map(({ imagesReceived }) => imagesReceived)).toEqual([slices.length]);
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "works without a mouse, with dates in the product's language, whatever the browser's",
    async () => {
      const person = await app.addPerson("Davi Alves");
      const job = async (page: Page) => {
        const choosing = page.waitForEvent("filechooser");
        await tabTo(page, button(page, "Escolher ZIPs"));
        await page.keyboard.press("Enter");
        const buffer = zipOf(slicesOf("by keyboard", 32));
        await (await choosing).setFiles({ name: "EXAME.ZIP", mimeType: "application/zip", buffer });
        await button(page, "Corrigir dados").waitFor();
        expect(await focusedId(page)).toBe("view");
        await tabTo(page, button(page, "Corrigir dados"));
        await page.keyboard.press("Enter");
        await tabTo(page, button(page, "Paciente, nº de acesso e mais"));
        await page.keyboard.press("Enter");
        await field(page, "Descrição").focus();
        const birth = field(page, "Data de nascimento");
        await tabTo(page, birth);
        expect(await birth.inputValue()).toMatch(/^\d\d-\d\d-\d{4}$/);
        await page.keyboard.press("ControlOrMeta+a");
        await page.keyboard.type("31/2/1970");
        await page.keyboard.press("Enter");
        await page.getByText("Esse dia não existe", { exact: true }).waitFor();
        expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-invalid"))).toBe("true");
        await page.keyboard.press("ControlOrMeta+a");
        await page.keyboard.type("25/3/1970");
        await page.keyboard.press("Tab");
        expect(await birth.inputValue()).toBe("25-03-1970");
        await tabTo(page, field(page, "Data e hora do exame"));
        await page.keyboard.press("ControlOrMeta+a");
        await page.keyboard.type("02-10-2025 7:05");
        await tabTo(page, button(page, "Enviar exame"));
        await page.keyboard.press("Enter");
        await button(page, "Enviar exame").waitFor({ state: "detached" });
        expect(await focusedId(page)).toBe("view");
        await page.locator("main[data-view=listaExames]").waitFor();
      };
      await inUpload(person, job, { device: { ...DESK, locale: "en-US" } });
      const [study] = await studiesOf(person);
      expect(study?.patientBirthDate).toBe("1970-03-25");
      expect(study?.examinedAt).toStartWith("2025-10-02T07:05");
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "with several studies adds them all",
    async () => {
      const person = await app.addPerson("Rosa Lima");
      await inUpload(person, async (page) => {
        await pick(page, zipOf(slicesOf("first", 32), slicesOf("second", 32), slicesOf("third", 32)));
        await button(page, "Enviar 3 exames").click();
        await page.locator("main[data-view=listaExames]").waitFor();
        await page.getByText("3 exames").first().waitFor();
      });
      expect(await studiesOf(person)).toHaveLength(3);
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "of two ZIPs sends what is ticked, bit by bit, each corrected exam under its own values",
    async () => {
      const person = await app.addPerson("Nara Escolha");
      const [left, sent, corrected] = ["left out", "sent", "corrected"].map((seed) => slicesOf(seed, 32));
      if (!left || !sent || !corrected) throw new Error("no exams");
      await inUpload(person, async (page) => {
        const file = (name: string, buffer: Buffer) => ({ name, mimeType: "application/zip", buffer });
        await field(page, "Arquivo ZIP do exame").setInputFiles([
          file("um.zip", zipOf(left, sent)),
          file("dois.zip", zipOf(corrected)),
        ]);
        await button(page, "Enviar 3 exames").waitFor();
        await page.getByRole("checkbox").first().click();
        await button(page, "Corrigir dados").last().click();
        await field(page, "Descrição").fill("Corrigido à mão");
        await button(page, "Enviar 2 exames").click();
        await page.locator("main[data-view=listaExames]").waitFor();
        while ((await studiesOf(person)).length < 2) await Bun.sleep(100);
      });
      const studies = await studiesOf(person);
      const uidOf = (slices: GeneratedInstance[]) => slices[0]?.attributes.studyInstanceUID ?? "";
      expect(studies.map(({ studyInstanceUID }) => studyInstanceUID).sort()).toEqual(
        [uidOf(sent), uidOf(corrected)].sort(),
      );
      for (const slices of [sent, corrected]) {
        const study = studies.find(({ studyInstanceUID }) => studyInstanceUID === uidOf(slices));
        const isCorrected = slices === corrected;
        expect(study?.studyDescription === "Corrigido à mão").toBe(isCorrected);
        const hashes = await downloadHashes({ url: app.origin }, person.token, study?.id ?? "");
        expect(hashes.sort()).toEqual(slices.map(({ bytes }) => sha256(bytes)).sort());
      }
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "larger than 2 GB is refused before a byte is sent",
    async () => {
      await using folder = createTempFolder();
      const path = join(folder.path, "enorme.zip");
      writeFileSync(path, "PK");
      truncateSync(path, 2 * 1024 ** 3 + 1);
      await inUpload(await app.addPerson("Ivo Reis"), async (page) => {
        await field(page, "Arquivo ZIP do exame").setInputFiles(path);
        await page.getByRole("alert").getByText("Arquivo muito grande. Tamanho máximo: 2 GB.").waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "over a connection that breaks reports it, and succeeds at the next try",
    async () => {
      const person = await app.addPerson("Lia Nunes");
      const job = async (page: Page) => {
        await page.route("**/api/upload-dicom", (route) => route.abort("connectionreset"), { times: 1 });
        await pick(page, zipOf(slicesOf("broken", 32)));
        await button(page, "Corrigir dados").click();
        await field(page, "Descrição").fill("Crânio, segunda tentativa");
        await button(page, "Enviar exame").click();
        await page.getByText("Erro no upload", { exact: true }).first().waitFor();
        await page.getByText("Erro de conexão durante o upload", { exact: true }).first().waitFor();
        await button(page, "Tentar de novo").click();
        await page.locator("main[data-view=listaExames]").waitFor();
        await page.getByText("Crânio, segunda tentativa").first().waitFor();
      };
      await inUpload(person, job, { expected: [/ERR_CONNECTION_RESET/] });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "waits with what was chosen until the code that reads it can be loaded, and says so",
    async () => {
      const person = await app.addPerson("Nina Prado");
      const job = async (page: Page) => {
        const code = "**/look-inside.worker-*.js";
        await page.route(code, (route) => route.abort("internetdisconnected"));
        await pick(page, zipOf(slicesOf("offline", 32)));
        await page.getByText("Uma parte desta página não pôde ser carregada").waitFor();
        await page.unroute(code);
        await page.getByRole("button", { name: "Enviar exame", exact: true }).waitFor();
        expect(await page.getByText("Uma parte desta página").count()).toBe(0);
      };
      await inUpload(person, job, { expected: [/ERR_INTERNET_DISCONNECTED/] });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "is disabled for a trial user with two exams, and says why",
    async () => {
      const person = await app.addPerson("Caio Melo", { plan: "avaliacao" });
      for (const seed of ["trial 1", "trial 2"]) await app.testApp.store(person, zipOf(slicesOf(seed, 32)));
      await inUpload(person, async (page) => {
        await page
          .getByText(
            "Limite Excedido: Você já enviou 2 exames e atingiu o limite máximo para usuários de teste.",
          )
          .waitFor();
        expect(await button(page, "Escolher ZIPs").isDisabled()).toBe(true);
        expect(await button(page, "Escolher pasta").isDisabled()).toBe(true);
        expect(await page.locator(".drop-zone.is-disabled").getAttribute("aria-disabled")).toBe("true");
      });
    },
    JOB_TIMEOUT_MS,
  );
});

async function lookAtFilms(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelectorAll(".contact-sheet canvas").length >= 10);
  await page.screenshot({ path: join(RESULTS, "upload.png") });
  for (const contrast of await filmContrasts(page)) expect(contrast).toBeGreaterThan(120);
}

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
