import { zipSync } from "fflate";
import type { Page } from "playwright-core";
import {
  type GeneratedInstance,
  generateStudy,
  type StudyKind,
} from "../../../scripts/demo/phantom/study.ts";
import { button, field, goTo, type View } from "./view.ts";

/** Slow enough that a small upload is seen under way. */
const SLOW_BYTES_PER_SECOND = 200_000;

const openUpload = (page: Page) => goTo(page, "uploadExames", "Enviar exames", "Upload exams");

async function pickZip(page: Page, zipPath: string): Promise<void> {
  await openUpload(page);
  await page.locator("input[accept*=zip]").setInputFiles(zipPath);
  await button(page, "Enviar exame", "Upload exam").waitFor();
}

/** Exams of two people, one of them kept already, and more than the plan has room for. */
async function pickSeveral(page: Page, keptPath: string): Promise<void> {
  await openUpload(page);
  await page.route("**/api/subscriptions/usage-stats", async (route) => {
    const answer = await route.fetch();
    const stats = (await answer.json()) as { examLimit: number };
    const used = { currentExamCount: stats.examLimit - 3, examsRemaining: 3 };
    await route.fulfill({ json: { ...stats, ...used } });
  });
  await page.locator("input[accept*=zip]").setInputFiles(severalZips());
  await page.locator(".found-exam-action .see-plans").waitFor();
  await page.locator(".source-chips input[accept*=zip]").setInputFiles(keptPath);
  await button(page, "Enviar 3 exames", "Upload 3 exams").waitFor();
  await button(page, "Abrir o que está guardado", "Open what is kept").waitFor();
}

function severalZips() {
  const zipOf = (name: string, ...studies: GeneratedInstance[][]) => ({
    name,
    mimeType: "application/zip",
    buffer: Buffer.from(
      zipSync(
        Object.fromEntries(
          studies.flatMap((study, n) => study.map(({ fileName, bytes }) => [`E${n}/${fileName}`, bytes])),
        ),
        { level: 0 },
      ),
    ),
  });
  const study = (kind: StudyKind, seed: string) => [
    ...generateStudy({ kind, seed, size: 128, instances: 24, frames: 8 }),
  ];
  return [
    zipOf("cd_marina_2026.zip", study("ct-head", "marina 1"), study("mr-head", "marina 2")),
    zipOf("eco_fev.zip", study("us-heart", "joão 1")),
    zipOf("mamografia.zip", study("mammogram", "marina 3")),
  ];
}

/** In the page: workers take their work and say that they are half through, and nothing more. */
function holdWorkers(): void {
  const Real = window.Worker;
  window.Worker = class extends Real {
    override postMessage(): void {
      const report = { type: "read", files: 31, studies: 1 };
      queueMicrotask(() => this.onmessage?.(new MessageEvent("message", { data: report })));
    }
  };
}

/** Sends the ZIP until some of it is there; answers what changes the line's bytes a second. */
export async function sendSlowly(page: Page, zipPath: string): Promise<(speed: number) => Promise<void>> {
  // The pictures before left uploads of the same person behind.
  await page.route("**/api/uploads", (route) =>
    route.request().method() === "GET" ? route.fulfill({ json: [] }) : route.fallback(),
  );
  await pickZip(page, zipPath);
  const devTools = await page.context().newCDPSession(page);
  const setSpeed = async (uploadThroughput: number): Promise<void> => {
    const others = { offline: false, latency: 0, downloadThroughput: -1 };
    await devTools.send("Network.emulateNetworkConditions", { ...others, uploadThroughput });
  };
  await setSpeed(SLOW_BYTES_PER_SECOND);
  await button(page, "Enviar exame", "Upload exam").click();
  await page.waitForFunction(() => /[1-9]\d?%/.test(document.querySelector("main")?.textContent ?? ""));
  return setSpeed;
}

async function openLabs(page: Page): Promise<void> {
  await goTo(page, "examesLab", "Laboratório", "Laboratory");
}

/** An action of the first PDF. */
async function actOnLab(page: Page, label: RegExp): Promise<void> {
  await openLabs(page);
  await page.locator(".lab-item").first().getByRole("button", { name: label }).click();
}

/** What a person sends: studies, and PDFs of a laboratory. */
export function uploadViews(zipPath: string, keptPath: string): Record<string, View> {
  return {
    upload: { who: "owner", show: openUpload },
    "upload-refused": {
      who: "owner",
      async show(page) {
        await openUpload(page);
        const picture = { name: "foto.png", mimeType: "image/png", buffer: Buffer.from("x") };
        await page.locator("input[accept*=zip]").setInputFiles(picture);
        await page.locator(".notice.is-bad").waitFor();
      },
    },
    "upload-contents": { who: "owner", show: (page) => pickSeveral(page, keptPath) },
    "upload-correct": {
      who: "owner",
      async show(page) {
        await pickSeveral(page, keptPath);
        await button(page, "Corrigir dados", "Correct details").first().click();
        await button(page, "Paciente, nº de acesso e mais", "Patient, accession number and more").waitFor();
      },
    },
    "upload-reading": {
      who: "owner",
      async show(page) {
        await openUpload(page);
        // The reading never ends.
        await page.evaluate(holdWorkers);
        await page.locator("input[accept*=zip]").setInputFiles(severalZips());
        await page.locator(".work-card").waitFor();
      },
    },
    "upload-progress": { who: "owner", show: (page) => sendSlowly(page, zipPath) },
    "upload-limit": {
      who: "trial",
      async show(page) {
        await openUpload(page);
        await page.locator(".notice.is-warn").waitFor();
      },
    },
    labs: { who: "owner", show: openLabs },
    "labs-empty": { who: "newcomer", show: openLabs },
    "lab-add": {
      who: "owner",
      async show(page) {
        await openLabs(page);
        await button(page, "Adicionar exame", "Add exam").click();
        const dialog = page.getByRole("dialog");
        await field(dialog, "Nome do exame", "Exam name").fill("Hemograma completo");
        await button(dialog, "Salvar exame", "Save exam").click();
        await dialog.getByRole("alert").first().waitFor();
      },
    },
    "lab-delete": {
      who: "owner",
      async show(page) {
        await actOnLab(page, /^(Excluir|Delete) /);
        await page.getByRole("alertdialog").waitFor();
      },
    },
    lab: {
      who: "owner",
      async show(page) {
        await actOnLab(page, /^(Ver|View) /);
        await page.locator(".pdf-sheet canvas").first().waitFor();
        await page.locator(".textLayer span").first().waitFor({ state: "attached" });
      },
    },
  };
}
