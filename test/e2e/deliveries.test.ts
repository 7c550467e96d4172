import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../scripts/demo/zip-study.ts";
import type { CreatedRequest, Request } from "../../src/shared/api/deliveries.ts";
import type { ResumableUploadState } from "../../src/shared/api/resumable.ts";
import type { Person } from "../support/app/test-app.ts";
import { violationsOn } from "../support/browser/axe.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  examsEntry,
  PHONE,
  tap,
} from "../support/browser/browser-app.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;
const MEGABYTE = 1024 ** 2;

describe("a request for exams", () => {
  let app: BrowserApp;
  let owner: Person;
  let zip: Uint8Array;
  beforeAll(async () => {
    app = await createBrowserApp("deliveries", { env: { MAX_UPLOAD_BYTES: String(6 * MEGABYTE) } });
    owner = await app.addPerson("Marina Gonçalves");
    const instances = generateStudy({ kind: "ct-head", seed: 1, size: 64, instances: 3 });
    zip = await zipStudyBytes({ instances, folder: "DICOM" });
  }, START_TIMEOUT_MS);
  afterAll(() => app?.[Symbol.asyncDispose](), START_TIMEOUT_MS);

  test(
    "is shown as a QR code, brings an exam from a clinic's phone without an account, and is refused without an action",
    async () => {
      await app.as(owner, {}, async (page) => {
        await button(page, "Receber de uma clínica").first().click();
        await button(page, "Novo pedido").click();
        await page.getByLabel("Quem vai entregar").fill("Hospital Santa Clara");
        await button(page, "Criar pedido").click();
        const ready = page.getByRole("dialog", { name: "Mostre no balcão" });
        await ready.getByRole("img", { name: "QR Code do pedido" }).waitFor();
        expect(await violationsOn(page)).toEqual([]);
        const address = (await ready.locator(".copy-box .mono").first().textContent()) ?? "";

        await app.asVisitor({ device: PHONE, expected: [/404 /] }, async (phone) => {
          await phone.goto(address);
          await phone.getByRole("heading", { name: "Entregar exames a Marina Gonçalves" }).waitFor();
          expect(await violationsOn(phone)).toEqual([]);
          await tap(phone, button(phone, "Continuar"));
          const input = phone.getByLabel("Arquivo ZIP do exame");
          await input.waitFor({ state: "attached" });
          expect(await violationsOn(phone)).toEqual([]);
          const file = { name: "exame.zip", mimeType: "application/zip", buffer: Buffer.from(zip) };
          await input.setInputFiles(file);
          // The phantom's patient is somebody else.
          await phone.getByText("O nome nas imagens é outro.").waitFor();
          expect(await violationsOn(phone)).toEqual([]);
          await tap(phone, button(phone, "Escolher outro"));
          const damaged = { ...file, name: "ruim.zip", buffer: Buffer.from("PK, and no more") };
          await input.setInputFiles([damaged, file]);
          await tap(phone, button(phone, "Entregar mesmo assim"));
          await phone.getByRole("heading", { name: "Protocolo de entrega" }).waitFor();
          const refusal = phone.getByText("ruim.zip: O arquivo ZIP está danificado ou incompleto.");
          expect(await refusal.count()).toBe(1);
          const overflow = await phone.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          expect(overflow).toBeLessThanOrEqual(0);
          const ofLongWords = await phone.evaluate(() => {
            const names = document.querySelectorAll(".delivery-paper :is(th[scope=row], dd)");
            const texts = [...names].flatMap((name) => {
              const text = document.createTreeWalker(name, NodeFilter.SHOW_TEXT).nextNode();
              // Dates are never long.
              const isName = text instanceof Text && !text.parentElement?.matches(".whitespace-nowrap");
              return isName ? [text] : [];
            });
            const before = texts.map(({ data }) => data);
            for (const text of texts)
              text.data = "Ultrassonografia_de_abdome_total_com_Doppler_e_elastografia";
            // A phone's innerWidth grows with what is too wide.
            const width = document.documentElement.scrollWidth - document.documentElement.clientWidth;
            for (const [place, text] of texts.entries()) text.data = before[place] ?? "";
            return width;
          });
          expect(ofLongWords).toBeLessThanOrEqual(0);
          expect(await violationsOn(phone)).toEqual([]);
          const saving = phone.waitForEvent("download");
          await tap(phone, button(phone, "Baixar PDF"));
          expect((await saving).suggestedFilename()).toBe("protocolo-de-entrega.pdf");
          const exam = (await phone.locator(".delivery-paper th[scope=row]").first().textContent()) ?? "";
          expect(exam).toMatch(/^(?!Exame \d).+, \d\d-\d\d-\d{4}$/);
          await tap(phone, button(phone, "Entregar outro arquivo"));
          await tap(phone, button(phone, "Ver o protocolo"));
          await phone.getByRole("heading", { name: "Protocolo de entrega" }).waitFor();
          // The receipt is there after a reload, and nobody else can deliver by this request.
          await phone.reload();
          await phone.getByRole("heading", { name: "Protocolo de entrega" }).waitFor();
          expect(await refusal.count()).toBe(1);
          await phone.evaluate(() => localStorage.clear());
          await phone.reload();
          await phone.getByRole("heading", { name: "Este pedido não abre" }).waitFor();
        });

        const arrived = page.getByRole("dialog", { name: "O exame chegou" });
        await button(arrived, "Ver exame").waitFor();
        expect(await ready.count()).toBe(0);
        expect(await violationsOn(page)).toEqual([]);
        await button(arrived, "Pronto").click();
        await page.getByText(/Entregue por Hospital Santa Clara/).waitFor();
        await examsEntry(page).click();
        await page.getByText("Recebido de Hospital Santa Clara").waitFor();
        await button(page, "Receber de uma clínica").first().click();
        await button(page, "Recusar e excluir").click();
        const question = page.getByRole("alertdialog", { name: "Recusar este exame?" });
        await question.getByText(/não usa uma ação/).waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await button(question, "Recusar e excluir").click();
        await page.getByText("Entrega recusada e excluída").first().waitFor();
        const [deleted] = await app.testApp.sql`select count(*)::int as n from usage_events
          where user_id = ${owner.id} and action_type = 'delete'`;
        expect(deleted?.n).toBe(0);
        expect(await app.testApp.sql`select 1 from studies`).toHaveLength(0);
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "is served whole by a clinic's browser that keeps nothing, and says what was refused",
    async () => {
      const address = await ask();
      const block = () => {
        for (const name of ["localStorage", "sessionStorage"])
          Object.defineProperty(window, name, {
            get() {
              throw new DOMException("blocked", "SecurityError");
            },
          });
      };
      const prepare = (context: BrowserContext) => context.addInitScript(block);
      await app.asVisitor({ prepare }, async (page) => {
        await page.goto(address);
        await button(page, "Continuar").click();
        const file = { name: "exame.zip", mimeType: "application/zip", buffer: Buffer.from(zip) };
        const damaged = { ...file, name: "ruim.zip", buffer: Buffer.from("PK, and no more") };
        await page.getByLabel("Arquivo ZIP do exame").setInputFiles([file, damaged]);
        await button(page, "Entregar mesmo assim").click();
        await page.getByRole("heading", { name: "Protocolo de entrega" }).waitFor();
        await page.getByText("ruim.zip: O arquivo ZIP está danificado ou incompleto.").waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "takes a folder from the clinic's page although the page is reloaded in the middle",
    async () => {
      const address = await ask();
      await using folder = createTempFolder();
      const disc = join(folder.path, "CD");
      mkdirSync(disc);
      const slices = [...generateStudy({ kind: "ct-head", seed: 2, size: 256, instances: 20 })];
      for (const [n, { bytes }] of slices.entries()) writeFileSync(join(disc, `IM${n}`), bytes);
      await app.asVisitor({ expected: [/ERR_ABORTED/] }, async (page) => {
        await page.goto(address);
        await button(page, "Continuar").click();
        await page.getByLabel("Pasta do exame").waitFor({ state: "attached" });
        await slowDown(page);
        await page.getByLabel("Pasta do exame").setInputFiles(disc);
        // The phantom's patient is somebody else.
        await button(page, "Entregar mesmo assim").click();
        await page.locator("[role=progressbar]:not([aria-valuenow='0'])").waitFor();
        page.once("dialog", (dialog) => dialog.accept());
        await page.reload();
        await page.getByRole("heading", { name: "Protocolo de entrega" }).waitFor();
      });
      const [request] = (await (
        await app.testApp.call("GET", "/api/requests", { as: owner })
      ).json()) as Request[];
      expect(request?.deliveries.map(({ images }) => images)).toEqual([slices.length]);
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "takes a folder larger than one upload in parts, says what fits into none, and asks after a reload for the rest alone",
    async () => {
      const address = await ask();
      await using folder = createTempFolder();
      const disc = join(folder.path, "CD");
      mkdirSync(disc);
      const exams = [3, 4].map((seed) => [
        ...generateStudy({ kind: "ct-head", seed, size: 256, instances: 12 }),
      ]);
      for (const [exam, slices] of exams.entries())
        for (const [n, { bytes }] of slices.entries()) writeFileSync(join(disc, `IM${exam}-${n}`), bytes);
      // An image that can't be read here, so that its exam is not known.
      writeFileSync(join(disc, "VOLUME"), exams[0]?.[0]?.bytes.slice(0, 200) ?? "");
      truncateSync(join(disc, "VOLUME"), 7 * MEGABYTE);
      await app.asVisitor({ expected: [/ERR_ABORTED/] }, async (page) => {
        await page.goto(address);
        await button(page, "Continuar").click();
        const pick = async () => {
          await page.getByLabel("Pasta do exame").setInputFiles(disc);
          await page.getByText(/VOLUME: Arquivo muito grande\. Tamanho máximo: 6 MB\./).waitFor();
          // The phantom's patient is somebody else.
          await button(page, "Entregar mesmo assim").click();
        };
        await page.getByLabel("Pasta do exame").waitFor({ state: "attached" });
        const speedUp = await slowDown(page);
        await pick();
        await page.getByText("Parte 1 de 2").waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await page.locator("[role=progressbar]:not([aria-valuenow='0'])").waitFor();
        page.once("dialog", (dialog) => dialog.accept());
        await page.reload();
        // The first part was packed here and goes on; the second was not.
        await page.getByText(/^Partes já entregues: 1 de 2/).waitFor();
        await speedUp();
        await pick();
        await page.getByRole("heading", { name: "Protocolo de entrega" }).waitFor();
        expect(await page.locator(".delivery-paper tbody th[scope=row]").count()).toBe(3);
        await page.reload();
        await page.getByRole("heading", { name: "Protocolo de entrega" }).waitFor();
        expect(await page.locator(".delivery-paper tbody th[scope=row]").count()).toBe(3);
      });
      const uploads = await app.testApp.sql`select delivery_id from resumable_uploads r
        where delivery_id = (select id from deliveries order by created_at desc limit 1)`;
      expect(uploads).toHaveLength(2);
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "tells a clinic that comes back after the last byte that the exam is being read, and then shows the receipt",
    async () => {
      const address = await ask();
      await using reading = await holdUploads();
      await app.asVisitor({ expected: [/ERR_ABORTED/] }, async (page) => {
        await page.goto(address);
        await button(page, "Continuar").click();
        const input = page.getByLabel("Arquivo ZIP do exame");
        await input.setInputFiles({
          name: "exame.zip",
          mimeType: "application/zip",
          buffer: Buffer.from(zip),
        });
        await button(page, "Entregar mesmo assim").click();
        while ((await app.testApp.sql`select 1 from resumable_uploads where state = 'processing'`).length < 1)
          await Bun.sleep(50);
        // The page asks just before the server has counted the last byte.
        let isAsked = false;
        await page.route("**/api/uploads", async (route) => {
          if (isAsked) return await route.continue();
          isAsked = true;
          const response = await route.fetch();
          const uploads = (await response.json()) as ResumableUploadState[];
          const json = uploads.map((upload) => ({ ...upload, state: "receiving", offset: 0 }));
          await route.fulfill({ response, json });
        });
        page.once("dialog", (dialog) => dialog.accept());
        await page.reload();
        const isBeingRead = page.getByText("O exame chegou e está sendo lido. O protocolo aparece aqui.");
        await isBeingRead.waitFor();
        expect(isAsked).toBe(true);
        await page.reload();
        await isBeingRead.waitFor();
        await reading[Symbol.asyncDispose]();
        await page.getByRole("heading", { name: "Protocolo de entrega" }).waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  /** The address of a new request's page, which names nobody. */
  async function ask(): Promise<string> {
    const json = { label: "Hospital Santa Clara", shownName: "" };
    const asked = await app.testApp.call("POST", "/api/requests", { as: owner, json });
    const { pathname, hash } = new URL(((await asked.json()) as CreatedRequest).url);
    return app.origin + pathname + hash;
  }

  /** Has uploads that are whole wait until it is disposed. */
  async function holdUploads(): Promise<AsyncDisposable> {
    const locked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const holding = app.testApp.sql.begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 0`;
      await tx`lock table uploads in share mode`;
      locked.resolve();
      await released.promise;
    });
    await Promise.race([locked.promise, holding]);
    const release = async () => {
      released.resolve();
      await holding;
    };
    return { [Symbol.asyncDispose]: release };
  }
});

/** Returns what ends it. */
async function slowDown(page: Page): Promise<() => Promise<void>> {
  const network = await page.context().newCDPSession(page);
  const line = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1024 ** 2 };
  await network.send("Network.emulateNetworkConditions", line);
  return () => network.detach();
}
