import type { Page } from "playwright-core";
import { button, field, goTo, type View } from "./view.ts";

/** Slow enough that a small upload is seen under way. */
const SLOW_BYTES_PER_SECOND = 200_000;

const openUpload = (page: Page) => goTo(page, "uploadExames", "Enviar exames", "Upload exams");

async function pickZip(page: Page, zipPath: string): Promise<void> {
  await openUpload(page);
  await page.locator("input[accept*=zip]").setInputFiles(zipPath);
  await button(page, "Enviar exame", "Upload exam").waitFor();
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
export function uploadViews(zipPath: string): Record<string, View> {
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
    "upload-form": { who: "owner", show: (page) => pickZip(page, zipPath) },
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
