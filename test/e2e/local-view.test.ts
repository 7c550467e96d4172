import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import type { Locator, Page, Request } from "playwright-core";
import type { ExportTicket } from "../../src/shared/api/users.ts";
import { TagHex } from "../../src/shared/dicom/tags.ts";
import type { Person } from "../support/app/test-app.ts";
import { violationsOn } from "../support/browser/axe.ts";
import {
  type BrowserApp,
  button,
  createBrowserApp,
  DESK,
  field,
  PHONE,
} from "../support/browser/browser-app.ts";
import { sampleFile } from "../support/dicom/dicom-sample.ts";
import { formBody, samplePdf } from "../support/pdf/sample-pdf.ts";
import { until } from "../support/until.ts";

let t: BrowserApp;
const folder = mkdtempSync(join(tmpdir(), "local-view-"));

beforeAll(async () => {
  t = await createBrowserApp("local-view");
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await t[Symbol.asyncDispose]();
});

const SIDE = 64;

/** A wedge from black to white; each slice begins at another grey. */
function slice(number: number, study = "2.25.10"): Uint8Array {
  const pixels = Uint16Array.from({ length: SIDE * SIDE }, (_, i) => ((i % SIDE) * 60 + number * 200) % 4096);
  return sampleFile({
    [TagHex.StudyInstanceUID]: { vr: "UI", Value: [study] },
    [TagHex.SeriesInstanceUID]: { vr: "UI", Value: [`${study}.1`] },
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`${study}.1.${number}`] },
    [TagHex.InstanceNumber]: { vr: "IS", Value: [number] },
    [TagHex.Rows]: { vr: "US", Value: [SIDE] },
    [TagHex.Columns]: { vr: "US", Value: [SIDE] },
    [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(pixels.buffer) },
  });
}

const exam = Object.fromEntries([1, 2, 3].map((number) => [`IM${number}`, slice(number)]));
const zip = { name: "exame.zip", mimeType: "application/zip", buffer: Buffer.from(zipSync(exam)) };
const canvas = (page: Page) => page.locator(".visor canvas[data-slice]");
/** The product's own files, which carry nothing; without a network they come from the browser's cache. */
const isAsset = (request: Request) => request.method() === "GET" && request.url().includes("/assets/");
const zipInput = (page: Page) => page.getByLabel("ZIP ou imagens do exame");

/** Waits for a slice of the study and for light in it. */
async function seesImage(page: Page, slice: string): Promise<void> {
  // Not any canvas: the small pictures of the series have theirs, which may not be drawn yet.
  const film = page.locator(`.visor canvas[data-slice="${slice}"]`);
  const lit = await film.evaluate(async (shown: HTMLCanvasElement) => {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const small = new OffscreenCanvas(16, 16).getContext("2d");
    if (!small) return 0;
    small.drawImage(shown, 0, 0, 16, 16);
    return Math.max(...small.getImageData(0, 0, 16, 16).data.filter((_, at) => at % 4 !== 3));
  });
  expect(lit).toBeGreaterThan(60);
}

test("a ZIP without its end is told to be incomplete", async () => {
  await t.asVisitor({ device: PHONE }, async (page) => {
    const buffer = zip.buffer.subarray(0, zip.buffer.length - 100);
    await zipInput(page).setInputFiles({ ...zip, name: "truncado.zip", buffer });
    await page.getByRole("heading", { name: "Este ZIP parece incompleto" }).waitFor();
    await page.getByText("Falta o final de truncado.zip.").waitFor();
  });
});

test("without the code that reads it an exam stays chosen, and is not told to be unreadable", async () => {
  await t.asVisitor({ device: PHONE, expected: [/ERR_INTERNET_DISCONNECTED/] }, async (page) => {
    const code = "**/read-local.worker-*.js";
    await page.route(code, (route) => route.abort("internetdisconnected"));
    await zipInput(page).setInputFiles(zip);
    await page.getByRole("heading", { name: "Uma parte desta página não pôde ser carregada" }).waitFor();
    await page.getByText("exame.zip continua escolhido").waitFor();
    await page.unroute(code);
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await seesImage(page, "2.25.10.1.2/0");
  });
});

test("on a phone one of two exams is chosen in a line of its own, and Back from keeping them returns to it", async () => {
  const two = zipSync({ ...exam, IM4: slice(1, "2.25.11") });
  await t.asVisitor({ device: PHONE }, async (page) => {
    await zipInput(page).setInputFiles({ ...zip, buffer: Buffer.from(two) });
    await seesImage(page, "2.25.10.1.2/0");
    const keep = button(page, "Guardar na Exameteca");
    const [choice, kept, said] = await Promise.all(
      [page.getByLabel("Exame", { exact: true }), keep, page.locator(".local-bar p")].map((part) =>
        part.evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect),
      ),
    );
    expect(kept?.right).toBeLessThanOrEqual(360);
    expect(choice?.top).toBeGreaterThanOrEqual(kept?.bottom ?? 0);
    expect(said?.height).toBeLessThanOrEqual(40);
    const note = await page.getByText("Não destinado a diagnóstico primário").boundingBox();
    const bar = await page.locator(".local-bar").boundingBox();
    expect((note?.y ?? 0) + (note?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);

    await keep.click();
    await page.getByText(/Até lá, os arquivos ficam nesta página/).waitFor();
    await page.goBack();
    await seesImage(page, "2.25.10.1.2/0");
    await page.goBack();
    await canvas(page).waitFor({ state: "detached" });
    expect(new URL(page.url()).pathname).toBe("/");
  });
});

test("an exam is seen without an account and without a request, then kept with the same bytes and no second pick", async () => {
  const owner = await t.addPerson("Dona Local");
  await t.asVisitor({ device: PHONE }, async (page) => {
    const requests: Request[] = [];
    page.on("request", (request) => requests.push(request));
    await zipInput(page).setInputFiles(zip);
    await seesImage(page, "2.25.10.1.2/0");
    expect(requests.filter((one) => !isAsset(one))).toEqual([]);

    // From here on the device has no network, and nothing asks for it.
    requests.length = 0;
    await page.context().setOffline(true);
    await page.locator(".visor").press("ArrowDown");
    await seesImage(page, "2.25.10.1.3/0");
    await page.getByText("Só neste aparelho.").waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.goBack();
    await canvas(page).waitFor({ state: "detached" });
    writeFolder(join(folder, "cd"));
    await page.getByLabel("Pasta do exame").setInputFiles(join(folder, "cd"));
    await seesImage(page, "2.25.11.1.1/0");
    expect(requests.filter((one) => !isAsset(one))).toEqual([]);
    await page.goBack();
    await zipInput(page).setInputFiles({
      ...zip,
      name: "fotos.zip",
      buffer: Buffer.from(zipSync({ "a.png": slice(1).slice(200) })),
    });
    await page.getByText("fotos.zip tem 1 arquivo, que não é DICOM.").waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await zipInput(page).setInputFiles(zip);
    await canvas(page).waitFor();
    await page.context().setOffline(false);

    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await button(page, "Guardar na Exameteca").click();
    await page.getByText(/para guardar exame\.zip/).waitFor();
    await field(page, "E-mail").fill(owner.email);
    await field(page, "Senha").fill(owner.password);
    await button(page, "Entrar").click();
    await button(page, "Ver agora").click();
    expect(new URL(page.url()).pathname).toBe("/his");
    await canvas(page).waitFor();
    await page.goBack();
    await button(page, "Enviar exame").click();
    await page
      .getByText(/1 exame guardado/)
      .first()
      .waitFor();
    expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);
  });
  const studies = (await (await t.testApp.call("GET", "/api/studies", { as: owner })).json()) as {
    studyInstanceUID: string;
    imagesReceived: number;
  }[];
  expect(studies).toMatchObject([{ studyInstanceUID: "2.25.10", imagesReceived: 3 }]);
});

/** Presses Escape as soon as something has the focus, when the dialogs around it may not yet know of it. */
async function pressEscapeOnceFocused(page: Page, selector: string): Promise<void> {
  await page.evaluate((awaited) => {
    const press = ({ target }: FocusEvent) => {
      if (!(target instanceof Element) || !target.closest(awaited)) return;
      document.removeEventListener("focusin", press);
      document.body.dataset.pressed = "";
      target.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
    };
    document.addEventListener("focusin", press);
  }, selector);
}

test("the keyboard stays in the exam until Escape leads back to the block that opened it", async () => {
  await t.asVisitor({ device: DESK }, async (page) => {
    await zipInput(page).setInputFiles(zip);
    await canvas(page).waitFor();
    const isInside = () => page.evaluate(() => document.activeElement?.closest(".visor") !== null);
    for (let pressed = 0; pressed < 40; pressed++) {
      await page.keyboard.press("Tab");
      expect(await isInside()).toBe(true);
    }
    await page.locator(".visor").press("?");
    const keys = page.getByRole("dialog", { name: "Atalhos do teclado" });
    await keys.waitFor();
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });
    expect(await canvas(page).isVisible()).toBe(true);
    await pressEscapeOnceFocused(page, ".visor-sheet");
    await page.locator(".visor").press("?");
    await page.locator("body[data-pressed]").waitFor();
    await keys.waitFor({ state: "detached" });
    expect(await canvas(page).isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await canvas(page).waitFor({ state: "detached" });
    await until(() => isFocused(button(page, "Escolher ZIP")));
  });
});

test("two exams of one folder are compared, and the way back leaves the comparison first", async () => {
  const both = {
    ...exam,
    ...Object.fromEntries([1, 2, 3, 4, 5].map((at) => [`X${at}`, slice(at, "2.25.12")])),
  };
  await t.asVisitor({ theme: "light" }, async (page) => {
    const requests: Request[] = [];
    page.on("request", (request) => requests.push(request));
    await zipInput(page).setInputFiles({ ...zip, buffer: Buffer.from(zipSync(both)) });
    await canvas(page).waitFor();
    const halves = page.locator(".visor-half");
    const numbers = async () => (await halves.locator(".visor-number").allTextContents()).join(" ");
    await button(page, "Comparar").click();
    await until(async () => (await numbers()) === "3/5 2/3");
    await halves.nth(1).locator("canvas[data-slice^='2.25.10.']").waitFor();
    await page.keyboard.press("End");
    await until(async () => (await numbers()) === "5/5 3/3");
    await until(async () => (await page.locator(".visor-series-film canvas").count()) === 2);
    expect(await violationsOn(page)).toEqual([]);
    await page.screenshot({ path: "test-results/local-compared.png" });

    // The exam that is shown is changed while two are compared.
    await page.getByLabel("Exame", { exact: true }).selectOption("1");
    await halves.first().waitFor({ state: "detached" });
    await page.locator(".visor canvas[data-slice^='2.25.10.']").waitFor();
    await page.keyboard.press("c");
    await halves.nth(1).locator("canvas[data-slice^='2.25.12.']").waitFor();
    await page.goBack();
    await halves.first().waitFor({ state: "detached" });
    await canvas(page).waitFor();
    await page.goBack();
    await canvas(page).waitFor({ state: "detached" });
    expect(requests.filter((one) => !isAsset(one))).toEqual([]);
  });
});

test("what another app shares is seen in this one without reaching the server", async () => {
  const owner = await t.addPerson("Dona Partilha");
  await t.as(owner, { device: { ...PHONE, serviceWorkers: "allow" }, language: "en-US" }, async (page) => {
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
      if (!navigator.serviceWorker.controller) {
        await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
      }
    });
    // Calls go around the worker, which would be started for each image of a scroll.
    expect(await page.evaluate(readRouteOf, "/api/health")).toBe("network");
    const posted: string[] = [];
    page.context().on("request", (request) => {
      if (request.method() === "POST" && !request.serviceWorker()) posted.push(request.url());
    });
    await page.evaluate(() => {
      const form = Object.assign(document.createElement("form"), {
        ...{ action: "/ver", method: "POST", enctype: "multipart/form-data" },
        innerHTML: '<input type="file" name="files" id="shared">',
      });
      document.body.append(form);
    });
    await page.locator("#shared").setInputFiles(zip);
    await page.evaluate(() => document.querySelector<HTMLFormElement>("form:has(#shared)")?.submit());
    await seesImage(page, "2.25.10.1.2/0");
    expect(new URL(page.url()).pathname).toBe("/ver");
    await button(page, "Keep in Exameteca").click();
    await button(page, "View now").waitFor();
    expect(new URL(page.url()).pathname).toBe("/his");
  });
});

test("the pages of a medium and of an export show their images from the disc, without a network", async () => {
  const owner = await t.addPerson("Dona Mídia");
  const { studies } = await t.testApp.store(owner, zipSync(exam));
  const disc = join(folder, "disc");
  await unpack(`/api/studies/${studies[0]?.id}/download?as=pdi`, owner, disc);
  await t.testApp.store(owner, zipSync({ X1: slice(1, "2.25.13") }));
  for (const [path, fields, file] of [
    ["/api/studies/laudo/upload", { studyInstanceUID: "2.25.13" }, "laudo"],
    ["/api/exams-lab/upload", { examName: "Hemograma", modality: "LAB", examDate: "2026-01-31" }, "file"],
  ] as const) {
    const form = await formBody({ ...fields }, { name: file, bytes: samplePdf() });
    expect((await t.testApp.call("POST", path, { as: owner, ...form })).status).toBeLessThan(300);
  }
  const ticket = await t.testApp.call("POST", "/api/users/export-ticket", { as: owner });
  const all = join(folder, "export");
  await unpack(((await ticket.json()) as ExportTicket).url, owner, all);

  await t.asVisitor({ expected: [/Content Security Policy/, /^request: csp /] }, async (visited) => {
    const page = await visited.context().newPage();
    const refused: string[] = [];
    page.on("console", (message) => {
      if (/Content.Security.Policy/i.test(message.text())) refused.push(message.text());
    });
    await page.context().setOffline(true);
    await page.goto(`file://${join(disc, "INDEX.HTM")}`);
    await page.locator("#disc[data-ready]").waitFor();
    expect(
      await page.locator("li img").evaluate((picture: HTMLImageElement) => picture.naturalWidth),
    ).toBeGreaterThan(0);
    const below = await page
      .locator("body > ul")
      .evaluate(
        (list) =>
          (document.querySelector("#disc .local-card")?.getBoundingClientRect().top ?? 0) -
          list.getBoundingClientRect().bottom,
      );
    expect(below).toBeGreaterThanOrEqual(16);
    await page.getByLabel("Pasta deste disco").setInputFiles(disc);
    await seesImage(page, "2.25.10.1.2/0");
    await page.locator(".visor-series-film canvas").waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Ver as imagens aqui" }).waitFor();
    await until(() => isFocused(button(page, "Escolher a pasta")));
    expect(await violationsOn(page)).toEqual([]);

    await page.goto(`file://${join(all, "INDEX.HTM")}`);
    await page.locator("#disc[data-ready]").waitFor();
    const exams = await page.locator("dt").allTextContents();
    expect(exams).toEqual(Array(2).fill("Crânio sem contraste · João Conceição · CT · 14-03-2026"));
    await page.getByRole("link", { name: "Hemograma · 31-01-2026" }).waitFor();
    const links = await page.locator("a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    expect(links.map((link) => link?.split("/")[0])).toEqual([
      ...["receipts", "reports", "receipts", "lab", "DICOMDIR", "LEIA-ME.txt"],
    ]);
    for (const link of links) expect([link, existsSync(join(all, link ?? ""))]).toEqual([link, true]);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByLabel("Pasta deste disco").setInputFiles(all);
    for (const [at, slice] of ["2.25.10.1.2/0", "2.25.13.1.1/0"].entries()) {
      await page.getByLabel("Exame", { exact: true }).selectOption(String(at));
      await seesImage(page, slice);
    }
    expect(refused).toEqual([]);
    // Of what the page has no use for, nothing runs and nothing is reached.
    expect(await page.evaluate(refusalsIn)).toEqual([
      ...[
        "connect-src",
        "font-src",
        "frame-src",
        "img-src",
        "script-src-attr",
        "script-src-elem",
        "style-src-elem",
      ],
    ]);
  });
});

/** In the page: the directives that refuse what an exam could bring into it, in order. */
async function refusalsIn(): Promise<string[]> {
  const refused = new Set<string>();
  document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
    refused.add(effectiveDirective);
  });
  const font = new FontFace("foreign", "url(https://example.com/a.woff2)");
  await Promise.allSettled([fetch("https://example.com/"), font.load()]);
  const place = document.createElement("div");
  place.innerHTML = `<img src="https://example.com/a.png"><img src="data:," onerror="window.ran = 1">
    <iframe src="https://example.com/"></iframe><style>p { color: red }</style>`;
  document.body.append(place);
  const script = document.createElement("script");
  script.textContent = "window.ran = 1";
  document.body.append(script);
  await new Promise((resolve) => setTimeout(resolve, 500));
  if ("ran" in window) throw new Error("a script ran");
  return [...refused].sort();
}

const isFocused = (place: Locator) => place.evaluate((element) => element === document.activeElement);

/** Downloads a ZIP and writes its files below `path`. */
async function unpack(url: string, { token }: Person, path: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, "Accept-Language": "pt-BR" };
  const answer = await fetch(new URL(url, t.origin), { headers });
  for (const [name, bytes] of Object.entries(unzipSync(new Uint8Array(await answer.arrayBuffer())))) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), bytes);
  }
}

function writeFolder(path: string): void {
  mkdirSync(join(path, "DICOM"), { recursive: true });
  writeFileSync(join(path, "DICOM/IM1"), slice(1, "2.25.11"));
  writeFileSync(join(path, "README.TXT"), "nothing");
}

/** In the page: which of the service worker's routes an address took; empty if the worker was asked. */
async function readRouteOf(path: string): Promise<unknown> {
  const { promise: timing, resolve } = Promise.withResolvers<PerformanceEntry>();
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.name.endsWith(path)) resolve(entry);
  });
  observer.observe({ type: "resource" });
  await (await fetch(path)).text();
  const entry = await timing;
  observer.disconnect();
  return "workerMatchedSourceType" in entry ? entry.workerMatchedSourceType : undefined;
}
