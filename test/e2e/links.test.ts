import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { headCtReport } from "../../scripts/demo/demo-texts.ts";
import { writeReportPdf } from "../../scripts/demo/pdf.ts";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import { zipStudyBytes } from "../../scripts/demo/zip-study.ts";
import type { CreatedLink } from "../../src/shared/api/links.ts";
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
import { isPicture, lookAtImage } from "../support/browser/viewer-canvas.ts";
import { drawn, visorOf } from "../support/browser/visor-page.ts";
import { formBody } from "../support/pdf/sample-pdf.ts";

const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;
const REPORT = writeReportPdf(headCtReport({ name: "Marina Gonçalves", birthDate: "12/06/1988" }));

describe("a link to an exam", () => {
  let app: BrowserApp;
  let owner: Person;
  beforeAll(async () => {
    app = await createBrowserApp("links");
    owner = await app.addPerson("Marina Gonçalves");
    for (const seed of [1, 2]) {
      const instances = generateStudy({ kind: "ct-head", seed, size: 64, instances: 3 });
      await app.testApp.store(owner, await zipStudyBytes({ instances, folder: "DICOM" }));
    }
  }, START_TIMEOUT_MS);
  afterAll(() => app?.[Symbol.asyncDispose](), START_TIMEOUT_MS);

  /** Where a link without passcode opens to an exam of its own, which no other test has. */
  async function addressOfNewLink(seed: number): Promise<string> {
    const instances = generateStudy({ kind: "ct-head", seed, size: 64, instances: 3 });
    const zip = await zipStudyBytes({ instances, folder: "DICOM" });
    const [study] = (await app.testApp.store(owner, zip)).studies;
    const json = { studyIds: [study?.id], passcode: false };
    const made = await app.testApp.call("POST", "/api/links", { as: owner, json });
    const { pathname, hash } = new URL(((await made.json()) as CreatedLink).url);
    return app.origin + pathname + hash;
  }

  test(
    "is made by two presses in the list, and opens on a stranger's phone after its passcode, until its owner ends it",
    async () => {
      await app.as(owner, {}, async (page) => {
        await examsEntry(page).click();
        await button(page.locator("tr.study-row"), "Compartilhar exame").first().click();
        const dialog = page.getByRole("dialog", { name: "Compartilhar exame" });
        await button(dialog, "Criar link").click();
        const ready = page.getByRole("dialog", { name: "Link pronto" });
        await ready.getByRole("img", { name: "QR Code do link" }).waitFor();
        expect(await violationsOn(page)).toEqual([]);
        const address = (await ready.locator(".copy-box .mono").first().textContent()) ?? "";
        const passcode = (await ready.locator(".link-passcode .mono").textContent())?.replace(" ", "") ?? "";
        await button(ready, "Pronto").click();

        // A wrong passcode, a viewer that asks once more than it may, and the link that was ended.
        const expected = [/403 /, /401 /, /404 /];
        await app.asVisitor({ device: PHONE, expected }, async (phone) => {
          await phone.goto(address);
          const boxes = phone.locator(".code-box");
          await boxes.first().waitFor();
          await phone.getByText(/^Marina G\. compartilhou exames com você/).waitFor();
          const wrong = passcode === "000000" ? "111111" : "000000";
          await boxes.first().fill(wrong);
          await phone.getByText("Senha incorreta.").waitFor();
          // The next one begins in the first box.
          expect(await boxes.first().evaluate((box) => box === document.activeElement)).toBe(true);
          expect(await violationsOn(phone)).toEqual([]);
          await boxes.first().fill(passcode);
          await phone.locator(".visit-main").waitFor();
          const overflow = await phone.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          expect(overflow).toBeLessThanOrEqual(0);
          expect(await violationsOn(phone)).toEqual([]);
          const [robots, referrer] = await phone.evaluate(async () => {
            const { headers } = await fetch(location.pathname);
            return [headers.get("x-robots-tag"), headers.get("referrer-policy")];
          });
          expect([robots, referrer]).toEqual(["noindex", "no-referrer"]);
          // A reload is not another opening, and asks for no passcode.
          await phone.reload();
          await phone.locator(".visit-main").waitFor();
          await tap(phone, button(phone, "Ver imagens"));
          await drawn(phone);
          expect(await visorOf(phone).getByRole("button", { name: "Compartilhar" }).count()).toBe(0);
          // The link lets nobody keep what it shows.
          await tap(phone, visorOf(phone).getByRole("button", { name: "Mais opções" }));
          const options = phone.getByRole("dialog", { name: "Opções" });
          await button(options, "Informações").waitFor();
          expect(await button(options, "Salvar esta imagem").count()).toBe(0);
          await tap(phone, button(options, "Fechar"));
          await options.waitFor({ state: "detached" });
          await phone.goBack();
          await visorOf(phone).waitFor({ state: "detached" });
          expect(phone.url()).toBe(address);
          await phone.locator(":focus").getByText("Ver imagens").waitFor();

          await button(dialog, "Fechar").click();
          await button(page.locator("tr.study-row"), "Compartilhar exame").first().click();
          await dialog.locator(".link-openings li").nth(1).waitFor();
          expect(await dialog.locator(".link-openings").textContent()).toContain("1 senha errada");
          expect(await dialog.locator(".link-openings li").count()).toBe(2);
          await button(dialog, /^Encerrar agora:/).click();
          await button(dialog, "Encerrar agora").click();
          await dialog.getByText(/encerrado em/).waitFor();

          await phone.goto(address);
          await phone.reload();
          await phone.getByRole("heading", { name: "Este link não abre" }).waitFor();
        });
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "is walked with the keys alone: what was opened closes to the button that had opened it",
    async () => {
      const zip = await zipStudyBytes({
        instances: generateStudy({ kind: "ct-head", seed: 3, size: 64, instances: 3 }),
        folder: "DICOM",
      });
      const [study] = (await app.testApp.store(owner, zip)).studies;
      const { id, studyInstanceUID } = study ?? { id: "", studyInstanceUID: "" };
      const report = await formBody({ studyInstanceUID }, { name: "laudo", bytes: REPORT });
      await app.testApp.call("POST", "/api/studies/laudo/upload", { as: owner, ...report });
      const json = { studyIds: [id], passcode: true };
      const made = await app.testApp.call("POST", "/api/links", { as: owner, json });
      const { url, passcode } = (await made.json()) as CreatedLink;
      const { pathname, hash } = new URL(url);
      await app.asVisitor({ expected: [/403 /] }, async (page) => {
        await page.goto(app.origin + pathname + hash);
        await page.locator(".code-box").first().waitFor();
        await page.keyboard.type(passcode?.replace(" ", "") ?? "");
        await page.locator(".visit-page:focus .visit-main").waitFor();
        await page.keyboard.press("Tab");
        await page.locator(":focus").getByText("Ver imagens").waitFor();
        await page.keyboard.press("Enter");
        await drawn(page);
        await page.keyboard.press("Escape");
        await visorOf(page).waitFor({ state: "detached" });
        await page.locator(":focus").getByText("Ver imagens").waitFor();
        await page.keyboard.press("Tab");
        const ways = [
          () => page.keyboard.press("Enter"),
          () => page.keyboard.press("Escape"),
          () => page.goBack(),
        ];
        for (const leave of ways) {
          await page.locator(":focus").getByText("Laudo").waitFor();
          await page.keyboard.press("Enter");
          await page.locator(".visit-report:focus").waitFor();
          await page.keyboard.press("Tab");
          await page.locator(":focus").getByText("Voltar aos exames").waitFor();
          await leave();
        }
        await page.locator(":focus").getByText("Laudo").waitFor();
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "brings a doctor who logs in from it back to it, to keep its exams, and leads nobody there again",
    async () => {
      const address = await addressOfNewLink(5);
      const doctor = await app.addPerson("Inês Leão", { role: "doctor" });
      await app.asVisitor({ device: PHONE }, async (page) => {
        await page.goto(address);
        await page.getByRole("link", { name: "Entre" }).click();
        await page.getByLabel("E-mail", { exact: true }).fill(doctor.email);
        await page.getByLabel("Senha", { exact: true }).fill(doctor.password);
        await page.keyboard.press("Enter");
        await button(page, "Guardar em meus exames").click();
        expect(page.url()).toBe(address);
        await page.getByText("Os exames estão na sua lista").first().waitFor();
        await page.goto(`${app.origin}/his`);
        await page.locator("#view h1").waitFor();
        expect(new URL(page.url()).pathname).toStartWith("/his");
      });
    },
    JOB_TIMEOUT_MS,
  );

  test(
    "shows a visitor in OHIF which exam it is, the way back, and the way to our own viewer",
    async () => {
      const address = await addressOfNewLink(4);
      for (const device of [undefined, PHONE]) {
        await app.asVisitor(device ? { device } : {}, async (page) => {
          await page.evaluate(() => localStorage.setItem("viewer", "ohif"));
          await page.goto(address);
          await button(page, "Ver imagens").click();
          const viewer = page.getByRole("dialog", { name: "TC de crânio sem contraste" });
          await viewer.getByText("Não destinado a diagnóstico primário").waitFor();
          const frame = await (await viewer.locator("iframe.is-shown").elementHandle())?.contentFrame();
          if (!frame) throw new Error("no viewer");
          expect(isPicture(await lookAtImage(frame))).toBe(true);
          const overflow = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          expect(overflow).toBe(0);
          await page.screenshot({ path: `test-results/visit-ohif-${device ? "phone" : "desk"}.png` });
          // A reload shows the exams again, without another opening.
          expect(page.url()).toBe(address);
          await page.goBack();
          await viewer.waitFor({ state: "detached" });
          await page.locator(":focus").getByText("Ver imagens").waitFor();
          await page.keyboard.press("Enter");
          await button(viewer, "Visor rápido").click();
          await drawn(page);
          await page.keyboard.press("Escape");
          await visorOf(page).waitFor({ state: "detached" });
          await page.locator(":focus").getByText("Ver imagens").waitFor();
        });
      }
    },
    JOB_TIMEOUT_MS,
  );
});
