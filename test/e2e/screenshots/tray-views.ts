import type { Page } from "playwright-core";
import type { ResumableUploadState } from "../../../src/shared/api/resumable.ts";
import type { UploadAnswer } from "../../../src/shared/api/upload.ts";
import { examsEntry } from "../../support/browser/browser-app.ts";
import { sendSlowly } from "./upload-views.ts";
import { isPhone, settle, type View } from "./view.ts";

const MIB = 1024 ** 2;

const answer = (images: number, skippedCount = 0): UploadAnswer => ({
  ...{ studyInstanceUID: "2.25.1", skipped: [], skippedCount, conflicts: [], conflictCount: 0 },
  studies: [{ id: "0190", studyInstanceUID: "2.25.1", imagesReceived: images, duplicates: 0 }],
  instancesReceived: images,
});

type Kept = Pick<ResumableUploadState, "filename" | "state"> &
  Partial<ResumableUploadState> & { isPaused?: boolean };

const checking: Kept = { filename: "RM_joelho_esquerdo.zip", state: "processing" };
const queued: Kept = { filename: "Ecocardiograma.zip", state: "processing", sizeBytes: 18 * MIB };
const fileGone: Kept = { filename: "TC_torax_2026-11-14.zip", state: "receiving", offset: 84 * MIB };
const paused: Kept = {
  filename: "Mamografia_2025.zip",
  state: "processing",
  isPaused: true,
  offset: 51 * MIB,
};
const refused: Kept = {
  ...{ filename: "CD_da_clinica.zip", state: "failed" },
  problem: {
    ...{ type: "about:blank", title: "", status: 422, code: "upload.no_dicom", requestId: "7f3a2c" },
    message: "Nada aqui é imagem de exame.",
  },
};
const kept: Kept = { filename: "RX_de_torax.zip", state: "done", result: answer(2) };
const skipped: Kept = { filename: "US_abdome.zip", state: "done", result: answer(31, 3) };

/** As after a reload, with uploads that an earlier page began. */
const keptUploads = (ownerId: string, uploads: Kept[]) => async (page: Page) => {
  const states = uploads.map(({ isPaused: _, ...upload }, n) => ({
    ...{ id: `kept${n}`, sizeBytes: 128 * MIB, offset: 128 * MIB },
    ...{ createdAt: new Date().toISOString(), expiresAt: new Date().toISOString(), ...upload },
  }));
  const records = states.map(({ id, sizeBytes }, n) => ({
    ...{ id, userId: ownerId, path: `/api/uploads/${id}`, kind: "zip", sizeBytes },
    ...{ isPaused: uploads[n]?.isPaused ?? false, savedAt: Date.now(), samples: [] },
  }));
  await page.addInitScript(
    (text) => localStorage.setItem("uploads-under-way", text),
    JSON.stringify(records),
  );
  await page.route("**/api/uploads/kept*", (route) => {
    const id = new URL(route.request().url()).pathname.split("/").at(-1);
    return route.fulfill({ json: states.find((state) => state.id === id) });
  });
};

async function openTray(page: Page): Promise<void> {
  if (isPhone(page)) await page.locator(".tray-strip").click();
  else await page.locator(".tray-head button").first().click();
  await page.locator(".tray-row").first().waitFor();
}

async function leaveForList(page: Page): Promise<void> {
  await examsEntry(page).click();
  await page.locator("main[data-view=listaExames] .study-filters").waitFor();
  await settle(page);
}

/** The uploads under way, over another view. */
export function trayViews(ownerId: string, zipPath: string): Record<string, View> {
  const uploads = [checking, queued, fileGone, paused, refused, kept, skipped];
  const waitForTray = (page: Page) => page.locator(".tray, .tray-strip").waitFor();
  return {
    "tray-closed": { who: "owner", prepare: keptUploads(ownerId, uploads), show: waitForTray },
    tray: { who: "owner", prepare: keptUploads(ownerId, uploads), show: openTray },
    "tray-done": { who: "owner", prepare: keptUploads(ownerId, [kept, skipped]), show: openTray },
    "tray-sending": {
      who: "owner",
      async show(page) {
        await sendSlowly(page, zipPath);
        await leaveForList(page);
        await openTray(page);
      },
    },
    "tray-stalled": {
      who: "owner",
      async show(page) {
        const setSpeed = await sendSlowly(page, zipPath);
        await setSpeed(1);
        await leaveForList(page);
        await openTray(page);
        await page.locator(".tray-row.is-warn").waitFor();
      },
    },
  };
}
