import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import type { Page } from "playwright-core";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import type { ResumableUploadState } from "../../src/shared/api/resumable.ts";
import type { Study } from "../../src/shared/api/studies.ts";
import type { Person } from "../support/app/test-app.ts";
import { type BrowserApp, button, createBrowserApp, field } from "../support/browser/browser-app.ts";
import { createTempFolder } from "../support/temp-folder.ts";

/*
 * A person's upload that does not end in the page where it began. Its later chunks are held until the page was left in the middle.
 */
const TEST_MS = 180_000;

let app: BrowserApp;
beforeAll(async () => {
  app = await createBrowserApp("resume-upload");
}, 240_000);
afterAll(() => app?.[Symbol.asyncDispose](), TEST_MS);

const draw = (seed: string, instances = 10) => [
  ...generateStudy({ kind: "ct-head", seed, size: 256, instances }),
];
/** Larger than a first chunk of 1 MB, the first one larger than the two that follow too. */
const studies = [draw("first", 16), draw("second"), draw("third")] as const;
type Slices = (typeof studies)[number];
const zipOf = (slices: Slices) =>
  Buffer.from(
    zipSync(Object.fromEntries(slices.map(({ fileName, bytes }) => [fileName, bytes])), { level: 0 }),
  );

/** Writes a medium's folder, and returns its path. */
function writeDisc(folder: string, slices: Slices): string {
  const disc = join(folder, "CD");
  mkdirSync(disc);
  for (const [n, { bytes }] of slices.entries()) writeFileSync(join(disc, `IM${n}`), bytes);
  return disc;
}

async function listOf<Item>(person: Person, path: string): Promise<Item[]> {
  return (await (await app.testApp.call("GET", path, { as: person })).json()) as Item[];
}
const uploadsOf = (person: Person) => listOf<ResumableUploadState>(person, "/api/uploads");

/** Waits until a part of an upload is on the server, and returns how much. */
async function partOf(person: Person, name?: string): Promise<number> {
  for (;;) {
    const upload = (await uploadsOf(person)).find(({ filename }) => !name || filename === name);
    if (upload && upload.offset > 0) {
      expect(upload.state).toBe("receiving");
      return upload.offset;
    }
    await Bun.sleep(50);
  }
}

/** Lets the first chunk of each upload through, and the others once what it returns is called. */
async function holdLaterChunks(page: Page): Promise<() => void> {
  const opened = Promise.withResolvers<void>();
  await page.route("**/api/uploads/*", async (route) => {
    const request = route.request();
    if (request.method() === "PATCH" && request.headers()["upload-offset"] !== "0") await opened.promise;
    await route.continue().catch(() => {}); // its page has left it
  });
  return opened.resolve;
}

/** Lets the page send one part of an upload; what it sends then never leaves. */
async function stopAfterFirstPart(page: Page): Promise<void> {
  let parts = 0;
  await page.route("**/api/uploads/*", async (route) => {
    if (route.request().method() !== "PATCH" || ++parts === 1) await route.continue();
  });
}

async function openUpload(page: Page): Promise<void> {
  await button(page.getByRole("main"), "Enviar o primeiro exame").click();
  await button(page, "Escolher ZIPs").waitFor();
}

async function studiesOnceKept(person: Person): Promise<Study[]> {
  for (;;) {
    const studies = await listOf<Study>(person, "/api/studies");
    if (studies.length > 0) return studies;
    await Bun.sleep(100);
  }
}

const expand = (page: Page) => button(page, "Expandir").click();

test(
  "an upload goes on by itself when its person changes their password beside it",
  async () => {
    const person = await app.addPerson("Renata Nova");
    const zip = { name: "exame.zip", mimeType: "application/zip", buffer: zipOf(studies[0]) };
    await app.as(person, { expected: [/401/] }, async (page) => {
      const letAllThrough = await holdLaterChunks(page);
      await openUpload(page);
      await field(page, "Arquivo ZIP do exame").setInputFiles(zip);
      await button(page, "Enviar exame").click();
      await partOf(person);
      await page.locator(".side-account button").first().click();
      await page.getByRole("menuitem", { name: "Perfil", exact: true }).click();
      await field(page, "Senha atual").fill(person.password);
      await field(page, "Nova senha").fill("cavalo-azul-novo");
      await button(page, "Salvar").click();
      await page.getByText("Perfil atualizado", { exact: true }).waitFor();
      letAllThrough();
      const json = { email: person.email, password: "cavalo-azul-novo" };
      const answer = await app.testApp.call("POST", "/api/auth/login", { json });
      const { token } = (await answer.json()) as Person;
      const [study] = await studiesOnceKept({ ...person, token });
      expect(study?.imagesReceived).toBe(studies[0].length);
    });
  },
  TEST_MS,
);

test(
  "a ZIP is asked for again after a reload, another one is refused, and it goes on where it stopped",
  async () => {
    const person = await app.addPerson("Clara Volta");
    const zip = zipOf(studies[0]);
    const file = { name: "exame.zip", mimeType: "application/zip", buffer: zip };
    await app.as(person, { expected: [/ERR_ABORTED/] }, async (page) => {
      const letAllThrough = await holdLaterChunks(page);
      await openUpload(page);
      await field(page, "Arquivo ZIP do exame").setInputFiles(file);
      await button(page, "Enviar exame").click();
      const sent = await partOf(person);
      page.once("dialog", (dialog) => dialog.accept());
      await page.reload();
      await expand(page);
      await page.getByText(/^Escolha de novo exame\.zip para continuar de \d+ %\.$/).waitFor();
      const again = page.getByLabel("O mesmo arquivo de novo: exame.zip");
      const other = Buffer.from(zip);
      other[100_000] = 255 - (other[100_000] ?? 0);
      await again.setInputFiles({ ...file, buffer: other });
      await page.getByText("Este é outro arquivo. Escolha exame.zip.").waitFor();
      letAllThrough();
      await again.setInputFiles(file);
      const [study] = await studiesOnceKept(person);
      expect(study?.imagesReceived).toBe(studies[0].length);
      const uploads = await uploadsOf(person);
      expect(uploads.map(({ state }) => state)).toEqual(["done"]);
      expect(sent).toBeGreaterThan(0);
    });
  },
  TEST_MS,
);

test(
  "an upload is told as kept although the browser's storage was emptied on the way",
  async () => {
    const person = await app.addPerson("Vera Vazia");
    const file = { name: "exame.zip", mimeType: "application/zip", buffer: zipOf(studies[0]) };
    await app.as(person, {}, async (page) => {
      const letAllThrough = await holdLaterChunks(page);
      await openUpload(page);
      await field(page, "Arquivo ZIP do exame").setInputFiles(file);
      await button(page, "Enviar exame").click();
      await partOf(person);
      await page.evaluate(() => localStorage.clear());
      letAllThrough();
      await page.getByText("1 exame guardado").first().waitFor();
      expect((await uploadsOf(person)).map(({ state }) => state)).toEqual(["done"]);
    });
  },
  TEST_MS,
);

test(
  "an upload says that the server is away, not the connection, while its answers are of the kind 503",
  async () => {
    const person = await app.addPerson("Sara Servidora");
    const file = { name: "exame.zip", mimeType: "application/zip", buffer: zipOf(studies[1]) };
    await app.as(person, { expected: [/503 /] }, async (page) => {
      let isAway = true;
      await page.route("**/api/uploads/*", async (route) => {
        const request = route.request();
        const isLater = request.method() === "PATCH" && request.headers()["upload-offset"] !== "0";
        await (isLater && isAway ? route.fulfill({ status: 503 }) : route.continue());
      });
      await openUpload(page);
      await field(page, "Arquivo ZIP do exame").setInputFiles(file);
      await button(page, "Enviar exame").click();
      await page.getByText("Servidor indisponível…").waitFor();
      await button(page, "Início").first().click();
      await page.getByText("Os envios continuam sozinhos quando ele voltar.").first().waitFor();
      expect(await page.getByText(/Sem conexão/).count()).toBe(0);
      isAway = false;
      await page.getByText("1 exame guardado").first().waitFor();
    });
  },
  TEST_MS,
);

test(
  "a ZIP that changes on the disk while it is sent is asked for again, and goes on where it stopped once it is back",
  async () => {
    const person = await app.addPerson("Rosa Troca");
    await using folder = await createTempFolder();
    const path = join(folder.path, "exame.zip");
    const zip = zipOf(studies[0]);
    writeFileSync(path, zip);
    await app.as(person, { expected: [/ERR_UPLOAD_FILE_CHANGED/] }, async (page) => {
      const letAllThrough = await holdLaterChunks(page);
      await openUpload(page);
      await field(page, "Arquivo ZIP do exame").setInputFiles(path);
      await button(page, "Enviar exame").click();
      await partOf(person);
      writeFileSync(path, zip.subarray(0, 2_000));
      letAllThrough();
      await page.getByText(/^Escolha de novo exame\.zip para continuar de \d+ %\.$/).waitFor();
      const again = page.getByLabel("O mesmo arquivo de novo: exame.zip");
      await again.setInputFiles(path);
      await page.getByText("Este é outro arquivo. Escolha exame.zip.").waitFor();
      writeFileSync(path, zip);
      await again.setInputFiles(path);
      const [study] = await studiesOnceKept(person);
      expect(study?.imagesReceived).toBe(studies[0].length);
    });
  },
  TEST_MS,
);

test(
  "an upload goes on where another node has room, and is told if none has",
  async () => {
    const person = await app.addPerson("Helena Sem Espaço");
    const file = { name: "exame.zip", mimeType: "application/zip", buffer: zipOf(studies[0]) };
    await app.as(person, { expected: [/ 507 /] }, async (page) => {
      const problem = { type: "about:blank", title: "Cheio", message: "Disco cheio.", requestId: "1" };
      const refuse = { status: 507, json: { ...problem, status: 507, code: "storage.full" } };
      let created = 0;
      let fullNodes = Number.POSITIVE_INFINITY;
      await page.route("**/api/uploads", async (route) => {
        if (route.request().method() !== "POST" || ++created > fullNodes) await route.continue();
        else await route.fulfill(refuse);
      });
      await openUpload(page);
      await field(page, "Arquivo ZIP do exame").setInputFiles(file);
      await button(page, "Enviar exame").click();
      await page
        .getByText(/O servidor está sem espaço no momento\./)
        .first()
        .waitFor();
      expect(created).toBe(4);
      [created, fullNodes] = [0, 2];
      await page
        .getByRole("button", { name: /^Tentar de novo/ })
        .first()
        .click();
      const [study] = await studiesOnceKept(person);
      expect([created, study?.imagesReceived]).toEqual([3, studies[0].length]);
    });
  },
  TEST_MS,
);

test(
  "a folder goes on by itself after a reload, and can be paused and resumed",
  async () => {
    const person = await app.addPerson("Pedro Pausa");
    await using folder = createTempFolder();
    const disc = writeDisc(folder.path, studies[0]);
    await app.as(person, { expected: [/ERR_ABORTED/] }, async (page) => {
      const letAllThrough = await holdLaterChunks(page);
      await openUpload(page);
      await field(page, "Pasta do exame").setInputFiles(disc);
      await button(page, "Enviar exame").waitFor();
      await button(page, "Enviar exame").click();
      await partOf(person);
      page.once("dialog", (dialog) => dialog.accept());
      await page.reload();
      await expand(page);
      // What the server has of it is asked for first.
      await page
        .getByText(/^[1-9]\d* %/)
        .first()
        .waitFor();
      await button(page, /^Pausar: /).click();
      await page.getByText(/^Pausado em \d+ %$/).waitFor();
      const [paused] = await uploadsOf(person);
      expect(paused?.state).toBe("receiving");
      letAllThrough();
      await button(page, /^Continuar: /).click();
      const [study] = await studiesOnceKept(person);
      expect(study?.imagesReceived).toBe(studies[0].length);
      // What was sent is dismissed with its row.
      await button(page, /^Abrir ./).click();
      while ((await uploadsOf(person)).length > 0) await Bun.sleep(50);
    });
  },
  TEST_MS,
);

async function sendZip(page: Page, name: string, buffer: Buffer): Promise<void> {
  await field(page, "Arquivo ZIP do exame").setInputFiles({ name, mimeType: "application/zip", buffer });
  await button(page, "Enviar exame").click();
}

async function untilUploads(person: Person, count: number): Promise<void> {
  while ((await uploadsOf(person)).length !== count) await Bun.sleep(50);
}

/** In the page: the token of its session. */
function keptToken(): string {
  const { token }: { token: string } = JSON.parse(sessionStorage.getItem("health-auth") ?? "{}");
  return token;
}

test(
  "uploads outlive a reload and a sign-out: what was packed goes on, a ZIP is asked for again, another browser can discard it",
  async () => {
    const person = await app.addPerson("Rita Fila");
    await using folder = createTempFolder();
    const disc = writeDisc(folder.path, studies[2]);
    await app.as(person, { expected: [/ERR_ABORTED/, /401/, /404 /] }, async (page) => {
      const letAllThrough = await holdLaterChunks(page);
      await openUpload(page);
      await sendZip(page, "primeiro.zip", zipOf(studies[0]));
      await field(page, "Pasta do exame").setInputFiles(disc);
      await button(page, "Enviar exame").click();
      await sendZip(page, "terceiro.zip", zipOf(studies[1]));
      await untilUploads(person, 3);
      await partOf(person, "primeiro.zip");
      page.once("dialog", (dialog) => dialog.accept());
      await page.reload();
      await expand(page);
      await page.getByText(/^Escolha de novo primeiro\.zip para continuar de \d+ %\.$/).waitFor();
      await page.getByText("Escolha terceiro.zip de novo para enviar.").waitFor();
      // What was packed here goes by itself.
      await partOf(person, "dicom_files.zip");

      await app.as(person, {}, async (elsewhere) => {
        await expand(elsewhere);
        await elsewhere
          .getByText(/em outro navegador$/)
          .first()
          .waitFor();
        const discard = button(elsewhere, "Cancelar o envio de primeiro.zip");
        await discard.click();
        await button(elsewhere, "Cancelar envio").click();
        await discard.waitFor({ state: "detached" });
      });

      await button(page, "Sair").click();
      const question = page.getByRole("alertdialog", { name: "Sair da sua conta?" });
      await question.getByText(/^Os envios param aqui/).waitFor();
      await button(question, "Sair").click();
      await field(page, "E-mail").fill(person.email);
      await field(page, "Senha").fill(person.password);
      await button(page, "Entrar").click();
      await page.getByRole("region", { name: "Envios" }).waitFor();
      const signedIn = { ...person, token: await page.evaluate(keptToken) };
      letAllThrough();
      await studiesOnceKept(signedIn);
      await expand(page);
      const again = page.getByLabel("O mesmo arquivo de novo: terceiro.zip");
      await again.setInputFiles({
        name: "terceiro.zip",
        mimeType: "application/zip",
        buffer: zipOf(studies[1]),
      });
      while ((await listOf<Study>(signedIn, "/api/studies")).length < 2) await Bun.sleep(100);
      expect(
        (await uploadsOf(signedIn)).map(({ filename, state }) => `${filename} ${state}`).toSorted(),
      ).toEqual(["dicom_files.zip done", "terceiro.zip done"]);
    });
  },
  TEST_MS,
);

test(
  "an upload is shown in another tab, which sends none of it until its own tab is closed, and then goes on there",
  async () => {
    const person = await app.addPerson("Davi Abas");
    await using folder = createTempFolder();
    const disc = writeDisc(folder.path, studies[0]);
    await app.as(person, { expected: [/ERR_ABORTED/] }, async (page) => {
      await openUpload(page);
      await field(page, "Pasta do exame").setInputFiles(disc);
      await button(page, "Enviar exame").waitFor();
      await stopAfterFirstPart(page);
      await button(page, "Enviar exame").click();
      await partOf(person);

      const other = await page.context().newPage();
      const offsets: number[] = [];
      other.on("request", (request) => {
        if (request.method() === "PATCH") offsets.push(Number(request.headers()["upload-offset"]));
      });
      await other.goto(`${app.origin}/his`);
      await expand(other);
      await other.getByText(/^\d+ % · em outra aba$/).waitFor();
      expect(offsets).toEqual([]);
      const sent = await partOf(person);
      await page.close();
      const [study] = await studiesOnceKept(person);
      expect(study?.imagesReceived).toBe(studies[0].length);
      // It begins where the other tab stopped.
      expect(offsets[0]).toBeGreaterThanOrEqual(sent);
    });
  },
  TEST_MS,
);

/** The server has another release now: what this page has not loaded is gone. Returns what ends that. */
async function replaceRelease(page: Page): Promise<() => Promise<void>> {
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    const response = await route.fetch();
    const isGone = (await response.text()).includes("findPreviousUploads");
    await route.fulfill(isGone ? { status: 404 } : { response });
  });
  await page.route(`${app.origin}/his`, async (route) => {
    if (route.request().isNavigationRequest()) return route.continue();
    const body = (await (await route.fetch()).text()).replaceAll(/\/assets\/boot-\w+/g, "$&new");
    await route.fulfill({ contentType: "text/html", body });
  });
  return () => page.unrouteAll();
}

test(
  "an upload whose code a new release has replaced asks for a reload, and goes on after it",
  async () => {
    const person = await app.addPerson("Nora Versão");
    await using folder = createTempFolder();
    const disc = writeDisc(folder.path, studies[0]);
    await app.as(person, { expected: [/404/] }, async (page) => {
      const endRelease = await replaceRelease(page);
      await openUpload(page);
      await field(page, "Pasta do exame").setInputFiles(disc);
      await button(page, "Enviar exame").click();
      const notice = page.getByRole("main").getByText(/^Há uma versão nova desta página\./);
      await notice.waitFor();
      await endRelease();
      // Nothing is being sent, so the browser asks nothing.
      await button(page.getByRole("main"), "Recarregar a página").click();
      const [study] = await studiesOnceKept(person);
      expect(study?.imagesReceived).toBe(studies[0].length);
    });
  },
  TEST_MS,
);
