import type { Page } from "playwright-core";
import type { IntegrityFinding, IntegritySummary, ScrubRound } from "../../../src/shared/api/integrity.ts";
import type { DeadLetter, Operations } from "../../../src/shared/api/operations.ts";
import { fail, goTo, hang, settle, type View } from "./view.ts";

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
  labExams: { damaged: 0, missing: 1 },
  today: { exams: 42, bytes: 18.3 * GIB, people: 61 },
  lastBackupAt: "2026-11-19T12:30:00.000Z",
  waitingAccounts: 1,
  newAccounts: [
    {
      ...{ id: "01900000-0000-7000-8000-0000000000d1", name: "Célia Yamada", role: "user" },
      isWaiting: true,
      createdAt: "2026-11-21T12:51:00.000Z",
    },
    {
      ...{ id: "01900000-0000-7000-8000-0000000000d2", name: "Dr. Paulo Reis", role: "doctor" },
      isWaiting: false,
      createdAt: "2026-11-20T11:30:00.000Z",
    },
  ],
  nodes: [
    {
      ...{ ...node, id: "01900000-0000-7000-8000-0000000a01f3", isThis: true, state: "up" },
      disk: { state: "full", freeBytes: 1.4 * GIB, sizeBytes: 480 * GIB },
      storeRefusal: null,
    },
    {
      ...{ ...node, id: "01900000-0000-7000-8000-00000009b2c4", isThis: false, state: "up" },
      disk: { state: "low", freeBytes: 44 * GIB, sizeBytes: 480 * GIB },
      storeRefusal: null,
    },
    {
      ...{ ...node, id: "01900000-0000-7000-8000-0000000c77e1", isThis: false, state: "silent" },
      disk: { state: "ok", freeBytes: 300 * GIB, sizeBytes: 480 * GIB },
      storeRefusal: null,
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

const round: ScrubRound = {
  ...{ startedAt: "2026-11-08T03:00:00.000Z", finishedAt: null, dueAt: "2026-12-08T03:00:00.000Z" },
  ...{
    objectsRead: 41_290,
    objectsTotal: 98_400,
    bytesRead: 812 * GIB,
    bytesTotal: 1_930 * GIB,
    findings: 3,
  },
};
const ended = (month: string, findings: number): ScrubRound => ({
  ...{ ...round, startedAt: `2026-${month}-09T03:00:00.000Z`, finishedAt: `2026-${month}-28T11:20:00.000Z` },
  ...{ objectsRead: 96_000 + Number(month), bytesRead: (1_800 + Number(month)) * GIB, findings },
});
const summary = (openFindings: number): IntegritySummary => ({
  ...{ scrubDays: 30, round, pastRounds: [ended("10", 0), ended("09", 2), ended("08", 0)], openFindings },
});
const finding = (n: number, more: Partial<IntegrityFinding>): IntegrityFinding => ({
  ...{ id: `01900000-0000-7000-8000-0000000000f${n}`, kind: "volume", found: "damaged" },
  ...{ foundAt: "2026-11-20T04:12:00.000Z", checkedAt: "2026-11-22T09:40:00.000Z" },
  ...{ object: `volumes/01/9f/0190a3c2-${n}-7d1e.zip`, sizeBytes: 184_320_000 },
  study: {
    ...{ id: "01900000-0000-7000-8000-000000000001", description: "TC de crânio sem contraste" },
    ...{ studyDate: "2026-11-14", modality: "CT", patientName: "Gonçalves^João A.", patientID: "4471" },
  },
  ...{ closedAt: null, healedBy: null, ...more },
});
const open = [
  finding(1, {}),
  finding(2, { kind: "report", found: "missing", object: "reports/0190a3c2-22.pdf", sizeBytes: 212_000 }),
  finding(3, { kind: "lab", object: "labs/0190a3c2-31.pdf", sizeBytes: 98_000, study: null }),
];
const closedAt = "2026-11-21T07:30:00.000Z";
const closed = (["reread", "copy", "upload", "removed"] as const).map((healedBy, n) =>
  finding(4 + n, { closedAt, healedBy, kind: n === 1 ? "manifest" : "volume" }),
);

/** Answers as an archive in which so many of the findings are open. */
const archive = (openFindings: IntegrityFinding[]) => async (page: Page) => {
  await page.route("**/api/integrity", (route) => route.fulfill({ json: summary(openFindings.length) }));
  await page.route("**/api/integrity/findings?*", (route) => {
    const findings = route.request().url().includes("closed") ? closed : openFindings;
    return route.fulfill({ json: { findings, total: findings.length } });
  });
};

async function openIntegrity(page: Page, tab = 0): Promise<void> {
  await goTo(page, "integrity", "Integridade", "Integrity");
  await page.getByRole("tab").nth(tab).click();
  await settle(page);
}

/** An admin's home page, and what the archive's rounds found. */
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
  integrity: { who: "admin", prepare: archive([]), show: (page) => openIntegrity(page) },
  "integrity-open": { who: "admin", prepare: archive(open), show: (page) => openIntegrity(page) },
  "integrity-closed": { who: "admin", prepare: archive(open), show: (page) => openIntegrity(page, 1) },
  "integrity-rounds": { who: "admin", prepare: archive(open), show: (page) => openIntegrity(page, 2) },
  "integrity-failed": {
    ...{ who: "admin", prepare: fail("**/api/integrity**") },
    async show(page) {
      await goTo(page, "integrity", "Integridade", "Integrity");
      await page.locator(".error-card").first().waitFor();
    },
  },
};
