import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import type { Frame, Locator, Page } from "playwright-core";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import type { Locale } from "../../src/shared/locale.ts";
import { type BrowserApp, createBrowserApp, WITH_WORKER } from "../support/browser/browser-app.ts";
import { difference, isPicture, lookAtImage } from "../support/browser/viewer-canvas.ts";
import { type Texts, texts } from "../support/client/screen-texts.ts";
import { readTaken } from "../support/dicom/dicom-sample.ts";
import { sha256 } from "../support/program/stored-bytes.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const SAMPLES = process.env.DICOM_SAMPLES;
const RESULTS = join(import.meta.dir, "../../test-results");
const START_TIMEOUT_MS = 240_000;
const JOB_TIMEOUT_MS = 240_000;
/** Longer than the test looks at how far an upload is. */
const UPLOAD_SECONDS = 60;
const SLICES = 28;

interface Exam {
  description: string;
  studyInstanceUID: string;
  /** By path in the ZIP or folder. */
  files: Record<string, Uint8Array>;
}

function computedHead(): Exam {
  const instances = [...generateStudy({ kind: "ct-head", seed: "main job", size: 128, instances: SLICES })];
  const slices = instances.filter(({ attributes }) => attributes.seriesNumber === 2);
  return examOf(slices.map(({ fileName, bytes }) => [fileName, bytes]));
}

/** A head from a real scanner, where there are samples. */
function scannedHead(): Exam {
  if (!SAMPLES) return computedHead();
  const folder = join(SAMPLES, "dcm_qa_ct/In/GE");
  return examOf(readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]));
}

function examOf(files: [path: string, bytes: Uint8Array][]): Exam {
  expect(files).toHaveLength(SLICES);
  const { studyInstanceUID, index } = readTaken(files[0]?.[1] ?? new Uint8Array());
  return { studyInstanceUID, description: index.studyDescription ?? "", files: Object.fromEntries(files) };
}

describe("a person's exam", () => {
  let app: BrowserApp;
  beforeAll(async () => {
    app = await createBrowserApp("main-job", undefined, WITH_WORKER);
  }, START_TIMEOUT_MS);
  afterAll(() => app?.[Symbol.asyncDispose](), START_TIMEOUT_MS);

  for (const [language, head] of [
    ["pt-BR", computedHead],
    ["en-US", scannedHead],
  ] as const) {
    test(
      `is uploaded, viewed, downloaded bit for bit and deleted, in ${language}`,
      async () => {
        const exam = head();
        await app.asVisitor({}, async (page) => {
          const t = texts[language];
          const email = `${language}@example.com`.toLowerCase();
          await chooseLanguage(page, language);
          await register(page, t, email);
          await signIn(page, t, email);
          await page.getByRole("button", { name: t.upload }).first().click();
          await expectNonZipRefused(page, t);
          await sendZip(page, t, exam);
          const row = await findInList(page, t, exam);
          await openViewer(page, t, { exam, row, picture: `head-${language}.png` });
          await download(page, t, exam, row);
          await remove(page, t, exam, row);
          await page.getByRole("button", { name: t.logOut }).click();
          await page.getByRole("heading", { name: t.logIn }).waitFor();
        });
      },
      JOB_TIMEOUT_MS,
    );
  }

  test(
    "is uploaded as the folder of a disc, with everything else on it",
    async () => {
      await using folder = createTempFolder();
      const exam = computedHead();
      const disc = {
        ...exam.files,
        "LEIA-ME.txt": Buffer.from("leia-me"),
        "autorun.inf": Buffer.from("[autorun]"),
      };
      for (const [path, bytes] of Object.entries(disc)) {
        mkdirSync(join(folder.path, "DISCO", dirname(path)), { recursive: true });
        writeFileSync(join(folder.path, "DISCO", path), bytes);
      }
      const person = await app.testApp.addPerson("Pessoa da Pasta");
      await app.asVisitor({}, async (page) => {
        const t = texts["pt-BR"];
        await signIn(page, t, person.email, person.password);
        await page.getByRole("button", { name: t.upload }).first().click();
        await page.getByLabel(t.folderInput).setInputFiles(join(folder.path, "DISCO"));
        await page.getByRole("button", { name: t.send, exact: true }).click();
        const row = await findInList(page, t, exam);
        await download(page, t, exam, row);
      });
    },
    JOB_TIMEOUT_MS,
  );
});

async function chooseLanguage(page: Page, language: Locale): Promise<void> {
  const name = language === "pt-BR" ? "PT" : "EN";
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("heading", { name: texts[language].logIn }).waitFor();
}

/** First with three mistakes, then without. */
async function register(page: Page, t: Texts, email: string): Promise<void> {
  const field = (name: string) => page.getByLabel(name, { exact: true });
  await page.getByRole("button", { name: t.createAccount }).click();
  await field(t.name).fill("Jo");
  await field(t.email).fill(email);
  await field(t.taxId).pressSequentially("529982");
  await field(t.password).fill("segredo1");
  await field(t.confirmPassword).fill("segredo2");
  await page.getByRole("button", { name: t.createAccount }).click();
  await page.getByText(t.nameTooShort).waitFor();
  await page.getByText(t.taxIdTooShort).waitFor();
  await page.getByText(t.passwordsDiffer).waitFor();
  await field(t.name).fill("João Conceição");
  await field(t.taxId).fill("52998224725");
  expect(await field(t.taxId).inputValue()).toBe("529.982.247-25");
  await field(t.confirmPassword).fill("segredo1");
  await page.getByRole("button", { name: t.createAccount }).click();
  await page.getByText(t.accountCreated).waitFor();
}

async function signIn(page: Page, t: Texts, email: string, password = "segredo1"): Promise<void> {
  await page.getByLabel(t.email, { exact: true }).fill(email);
  await page.getByLabel(t.password, { exact: true }).fill(password);
  await page.getByRole("button", { name: t.logIn, exact: true }).click();
  await page.waitForURL("**/his");
  await page.locator("main[data-view=welcome]").waitFor();
  const terms = page.getByRole("dialog");
  await terms.getByRole("checkbox").check();
  await terms.getByRole("button", { name: t.accept, exact: true }).click();
  await terms.waitFor({ state: "detached" });
}

async function expectNonZipRefused(page: Page, t: Texts): Promise<void> {
  const text = { name: "laudo.txt", mimeType: "text/plain", buffer: Buffer.from("laudo") };
  await page.getByLabel(t.zipInput).setInputFiles(text);
  await page.getByRole("alert").getByText(t.onlyZip).waitFor();
}

async function sendZip(page: Page, t: Texts, exam: Exam): Promise<void> {
  const zip = Buffer.from(zipSync(exam.files, { level: 0 }));
  await page
    .getByLabel(t.zipInput)
    .setInputFiles({ name: "exame.zip", mimeType: "application/zip", buffer: zip });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  await page.getByRole("button", { name: t.correct, exact: true }).click();
  await page.getByRole("button", { name: t.moreDetails, exact: true }).click();
  await field("Study Instance UID").waitFor();
  expect(await field("Study Instance UID").inputValue()).toBe(exam.studyInstanceUID);
  expect(await field(t.description).inputValue()).toBe(exam.description);
  expect(await field(t.patientName).inputValue()).not.toBe("");

  const network = await page.context().newCDPSession(page);
  const uploadThroughput = zip.length / UPLOAD_SECONDS;
  const limits = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput };
  await network.send("Network.emulateNetworkConditions", limits);
  await page.getByRole("button", { name: t.send, exact: true }).click();
  await page.getByRole("progressbar").waitFor();
  expect(await page.locator(".phases li").allInnerTexts()).toEqual(
    t.phases.map((phase) => expect.stringContaining(phase)),
  );
  await page.locator(".phases li[aria-current=step]").getByText(t.phases[3]).waitFor();
  await network.send("Network.emulateNetworkConditions", { ...limits, uploadThroughput: -1 });
  await page.getByText(t.uploaded).first().waitFor();
}

/** Waits for the list to come by itself; the study's row, with its series open below. */
async function findInList(page: Page, t: Texts, exam: Exam): Promise<Locator> {
  await page.locator("main[data-view=listaExames]").waitFor();
  const row = page.getByRole("row").filter({ hasText: exam.description }).first();
  await row.getByRole("cell", { name: String(SLICES), exact: true }).waitFor();
  await row.getByRole("button", { name: t.seriesOf }).click();
  await page.getByText(t.images(SLICES)).first().waitFor();
  await page.getByText(exam.studyInstanceUID).waitFor();
  return row;
}

interface Viewing {
  exam: Exam;
  row: Locator;
  picture: string;
}

async function openViewer(page: Page, t: Texts, { exam, row, picture }: Viewing): Promise<void> {
  await row.getByRole("button", { name: t.open }).click();
  const viewer = page.getByRole("dialog", { name: exam.description });
  await viewer.getByText(t.notForDiagnosis).waitFor();
  const frame = await frameIn(viewer);
  const canvas = frame.locator("canvas.cornerstone-canvas").first();
  await canvas.waitFor();
  const head = await lookAtImage(frame);
  await page.screenshot({ path: join(RESULTS, picture) });
  expect(head.lit).toBeGreaterThan(0.05);
  expect(head.lit).toBeLessThan(0.7);
  await canvas.hover();
  await page.mouse.wheel(0, 400);
  const isAnotherSlice = (sight: typeof head) => isPicture(sight) && difference(sight, head) > 0.5;
  expect(difference(await lookAtImage(frame, { isSought: isAnotherSlice }), head)).toBeGreaterThan(0.5);
  await viewer.getByRole("button", { name: t.close }).click();
  await viewer.waitFor({ state: "detached" });
}

async function frameIn(viewer: Locator): Promise<Frame> {
  const frame = await (await viewer.locator("iframe").elementHandle())?.contentFrame();
  if (!frame) throw new Error("the viewer has no frame");
  return frame;
}

async function download(page: Page, t: Texts, exam: Exam, row: Locator): Promise<void> {
  const coming = page.waitForEvent("download");
  await row.getByRole("button", { name: t.download }).click();
  const arrived = await coming;
  expect(arrived.suggestedFilename()).toEndWith("_HIS.zip");
  const entries = unzipSync(new Uint8Array(readFileSync(await arrived.path())));
  const digests = (files: Record<string, Uint8Array>) => Object.values(files).map(sha256).sort();
  expect(digests(entries)).toEqual(digests(exam.files));
}

async function remove(page: Page, t: Texts, exam: Exam, row: Locator): Promise<void> {
  await row.getByRole("button", { name: t.remove }).click();
  const dialog = page.getByRole("alertdialog", { name: t.confirmTitle });
  await dialog.getByText(exam.description).waitFor();
  await dialog.getByRole("button", { name: t.confirm, exact: true }).click();
  await page.getByText(t.removed).first().waitFor();
  await page.getByText(t.nothingYet).waitFor();
}
