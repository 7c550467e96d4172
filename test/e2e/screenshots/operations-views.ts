import type { Page } from "playwright-core";
import type { DeadLetter, Operations } from "../../../src/shared/api/operations.ts";
import { fail, hang, type View } from "./view.ts";

const GIB = 1024 ** 3;
const node = {
  version: "0.2.0",
  startedAt: "2026-11-14T03:12:00.000Z",
  lastBeatAt: "2026-11-22T12:30:00.000Z",
};
const troubled: Operations = {
  deadLetters: 14,
  queue: { waiting: 212, delayed: 12, active: 6, oldestSeconds: 2_580 },
  studies: { damaged: 1, missing: 1, transferring: 3, failedTransfers: 12 },
  today: { exams: 42, bytes: 18.3 * GIB, people: 61 },
  lastBackupAt: "2026-11-19T12:30:00.000Z",
  newAccounts: [
    {
      ...{ id: "01900000-0000-7000-8000-0000000000d1", name: "Célia Yamada", role: "user" },
      createdAt: "2026-11-21T12:51:00.000Z",
    },
    {
      ...{ id: "01900000-0000-7000-8000-0000000000d2", name: "Dr. Paulo Reis", role: "doctor" },
      createdAt: "2026-11-20T11:30:00.000Z",
    },
  ],
  nodes: [
    {
      ...{ ...node, id: "01900000-0000-7000-8000-0000000a01f3", isThis: true, state: "up" },
      disk: { state: "full", freeBytes: 1.4 * GIB, sizeBytes: 480 * GIB },
    },
    {
      ...{ ...node, id: "01900000-0000-7000-8000-00000009b2c4", isThis: false, state: "up" },
      disk: { state: "low", freeBytes: 44 * GIB, sizeBytes: 480 * GIB },
    },
    {
      ...{ ...node, id: "01900000-0000-7000-8000-0000000c77e1", isThis: false, state: "silent" },
      disk: { state: "ok", freeBytes: 300 * GIB, sizeBytes: 480 * GIB },
    },
  ],
};
const letter = (n: number, kind: string, errorClass: string): DeadLetter => ({
  ...{ id: `01900000-0000-7000-8000-${String(n).padStart(12, "0")}`, kind, errorClass },
  ...{ diedAt: "2026-11-22T12:18:00.000Z", attempts: 21 },
});
const letters = [
  ...Array.from({ length: 12 }, (_, n) => letter(n, "transfer", "AppError store.unavailable")),
  letter(20, "mail.send", "Error ECONNREFUSED"),
  letter(21, "nodes.sweep", "PostgresError 57P01"),
];

async function trouble(page: Page): Promise<void> {
  await page.route("**/api/operations", (route) => route.fulfill({ json: troubled }));
  await page.route("**/api/operations/dead-letters", (route) => route.fulfill({ json: letters }));
}

/** An admin's home page. */
export const operationsViews: Record<string, View> = {
  "home-admin": { who: "admin", show: (page) => page.locator(".home-node").first().waitFor() },
  "home-troubled": {
    who: "admin",
    prepare: trouble,
    async show(page) {
      await page.locator(".home-node").first().waitFor();
      await page.locator(".home-row button[aria-expanded]").nth(1).click();
      await page.locator(".home-question").waitFor();
    },
  },
  "home-waiting": { who: "admin", prepare: hang("**/api/operations**") },
  "home-failed": {
    who: "admin",
    prepare: fail("**/api/operations**"),
    show: (page) => page.locator(".error-card").first().waitFor(),
  },
};
