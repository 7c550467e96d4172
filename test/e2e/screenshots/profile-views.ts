import type { Page } from "playwright-core";
import type { AccessToken } from "../../../src/shared/api/access-tokens.ts";
import type { Activity } from "../../../src/shared/api/activity.ts";
import type { Factors } from "../../../src/shared/api/factors.ts";
import type { Receiver } from "../../../src/shared/api/receivers.ts";
import { button, settle, type View } from "./view.ts";

const DAY_MS = 24 * 3600_000;
const daysAway = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const idOf = (n: number) => `01900000-0000-7000-8000-0000000000a${n}`;

const factors: Factors = {
  passkeys: [
    {
      id: "0190a",
      name: "iPhone da Helena",
      createdAt: daysAway(-60),
      lastUsedAt: daysAway(0),
      isBackedUp: true,
    },
  ],
  ...{ passkeysAvailable: true, totp: null, recoveryCodesLeft: 8 },
};
const token = (n: number, name: string, more: Partial<AccessToken>): AccessToken => ({
  ...{ id: idOf(n), name, scopes: ["dicomweb:read"], createdAt: daysAway(-20) },
  ...{ expiresAt: daysAway(70), lastUsedAt: daysAway(-1), ...more },
});
const tokens = [
  token(1, "Visualizador do consultório", {}),
  token(2, "Script de cópia", { scopes: ["dicomweb:read", "dicomweb:write"], expiresAt: daysAway(3) }),
  token(3, "Modalidade da clínica", {
    scopes: ["dicomweb:write"],
    expiresAt: daysAway(-2),
    lastUsedAt: null,
  }),
  token(4, "Planilha do mês", { scopes: ["api"], expiresAt: null }),
];
const seen = (callingAETitle: string, days: number) => ({
  ...{ at: daysAway(days), callingAETitle, address: "203.0.113.9" },
});
const receivers: Receiver[] = [
  {
    ...{ id: idOf(5), aeTitle: "EXAMETECA_MG", createdAt: daysAway(-30), port: 11112, tls: true },
    ...{ callingAETitles: ["SANTACLARA_CT", "SAOJOAO_PACS"], addresses: ["203.0.113.0/24"] },
    ...{ instances: 297, lastReceived: seen("SANTACLARA_CT", 0) },
    ...{ refusals: 1, lastRefused: seen("UNKNOWN_AE", -3) },
  },
  {
    ...{ id: idOf(6), aeTitle: "EXAMETECA_2", createdAt: daysAway(-3), port: 11112, tls: true },
    ...{ callingAETitles: [], addresses: [], instances: 0, lastReceived: null },
    ...{ refusals: 0, lastRefused: null },
  },
];
const event = (n: number, action: string, more: Partial<Activity["events"][number]> = {}) => ({
  ...{ id: 100 - n, at: new Date(Date.now() - n * 5 * 3_600_000).toISOString(), action },
  ...{ actorName: "Helena Duarte", isYours: true, exam: null, address: "203.0.113.9", ...more },
});
const exam = "TC de crânio sem contraste";
const activity: Activity = {
  hasMore: true,
  events: [
    event(0, "session.opened"),
    event(1, "report.uploaded", {
      actorName: "Dra. Inês Leão",
      isYours: false,
      exam,
      address: "198.51.100.24",
    }),
    event(2, "link.opened", {
      actorName: null,
      isYours: false,
      exam,
      address: "2001:db8:85a3::8a2e:370:7334",
    }),
    event(3, "study.downloaded", { exam, token: { name: "Visualizador do consultório" } }),
    event(4, "study.uploaded", { exam }),
    event(5, "session.failed", { actorName: null, isYours: false, address: "198.51.100.77" }),
    event(6, "token.made"),
    event(7, "payment.paid", { actorName: null, isYours: false, address: null }),
  ],
};

async function answers(page: Page): Promise<void> {
  for (const [path, json] of Object.entries({
    "/api/auth/factors": factors,
    "/api/tokens": tokens,
    "/api/receivers": receivers,
    "/api/users/activity*": activity,
  }))
    await page.route(`**${path}`, (route) => route.fulfill({ json }));
}

/** Goes to the profile's tab at `index`. */
async function openTab(page: Page, index: number): Promise<void> {
  await button(page, "Sua conta", "Your account").click();
  await page.getByRole("menuitem").first().click();
  await page.locator("main[data-view=profile] form").waitFor();
  await page.getByRole("tab").nth(index).click();
  await settle(page);
}

async function ask(page: Page, label: RegExp): Promise<void> {
  await openTab(page, 1);
  await page.getByRole("button", { name: label }).first().click();
  await page.locator("[role=dialog], [role=alertdialog]").waitFor();
}

/** The profile's tabs, and the programs and devices of an account that has some. */
export const profileViews: Record<string, View> = {
  profile: { who: "owner", show: (page) => openTab(page, 0) },
  "profile-access": { who: "owner", prepare: answers, show: (page) => openTab(page, 1) },
  "profile-access-empty": { who: "newcomer", show: (page) => openTab(page, 1) },
  "profile-mails": { who: "owner", show: (page) => openTab(page, 2) },
  "profile-activity": { who: "owner", prepare: answers, show: (page) => openTab(page, 3) },
  "token-new": { who: "owner", prepare: answers, show: (page) => ask(page, /^(Novo token|New token)$/) },
  "token-made": {
    ...{ who: "owner" },
    prepare: async (page) => {
      await answers(page);
      await page.route("**/api/tokens", (route) =>
        route.request().method() === "POST"
          ? route.fulfill({ status: 201, json: { ...tokens[0], token: `exm_${"7Qk2vT9xBd".repeat(4)}` } })
          : route.fulfill({ json: tokens }),
      );
    },
    async show(page) {
      await ask(page, /^(Novo token|New token)$/);
      await page.getByRole("dialog").locator("input").first().fill("Visualizador do consultório");
      await page.getByRole("dialog").locator("button[type=submit]").click();
      await page.locator(".token-copy").first().waitFor();
    },
  },
  "token-end": {
    who: "owner",
    prepare: answers,
    show: (page) => ask(page, /^(Revogar o token|Revoke the token) /),
  },
  "receiver-new": {
    who: "owner",
    prepare: answers,
    show: (page) => ask(page, /^(Novo receptor|New receiver)$/),
  },
  "receiver-end": {
    who: "owner",
    prepare: answers,
    show: (page) => ask(page, /^(Remover o receptor|Remove the receiver) /),
  },
  "account-delete": {
    who: "owner",
    async show(page) {
      await openTab(page, 0);
      await button(page, "Excluir minha conta", "Delete my account").click();
      await page.getByRole("alertdialog").waitFor();
    },
  },
};
