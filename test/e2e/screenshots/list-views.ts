import type { Page } from "playwright-core";
import { examsEntry } from "../../support/browser/browser-app.ts";
import { lookAtImage } from "../../support/browser/viewer-canvas.ts";
import { button, fail, hang, isPhone, settle, type View } from "./view.ts";

const LIST = "**/api/studies?*";

async function openList(page: Page): Promise<void> {
  await examsEntry(page).click();
  await page.locator("main[data-view=listaExames] .study-filters, main .empty").first().waitFor();
}

async function seeList(page: Page): Promise<void> {
  await openList(page);
  await settle(page);
}

async function expandFirst(page: Page): Promise<void> {
  await seeList(page);
  await page.locator("button.expander, button.phone-study-toggle").first().click();
  await page.locator(".series-card").first().waitFor();
  await page.waitForFunction(() => {
    const pictures = [...document.querySelectorAll<HTMLImageElement>(".series-card img")];
    return pictures.length > 0 && pictures.every(({ complete }) => complete);
  });
}

/** An action of the first study, on a phone from its menu. */
async function act(page: Page, portuguese: string, english: string): Promise<void> {
  if (isPhone(page)) {
    await expandFirst(page);
    await button(page, "Mais ações", "More actions").click();
    await page.getByRole("menuitem", { name: new RegExp(`${portuguese}|${english}`) }).click();
  } else {
    await seeList(page);
    await button(page, portuguese, english).first().click();
  }
  await page.locator("[role=dialog], [role=alertdialog]").waitFor();
  await settle(page);
}

/** Sharing has a button in each row, on a phone too. */
async function share(page: Page): Promise<void> {
  await seeList(page);
  await button(page, "Compartilhar exame", "Share exam").first().click();
  await page.getByRole("dialog").waitFor();
  await settle(page);
}

async function select(page: Page): Promise<void> {
  await seeList(page);
  await button(page, "Selecionar exames", "Select exams").click();
  for (const at of [0, 1]) await page.locator("tbody .checkbox, .phone-study .checkbox").nth(at).check();
}

async function actOnSelected(page: Page, portuguese: string, english: string): Promise<void> {
  await select(page);
  await button(page.locator(".selection-bar"), portuguese, english).click();
  await page.locator("[role=dialog], [role=alertdialog]").waitFor();
}

async function openReport(page: Page, has: boolean): Promise<void> {
  await seeList(page);
  const label = has ? /^(Ver laudo|See report): / : /^(Anexar laudo|Attach report): /;
  if (isPhone(page)) {
    // The second study has none.
    await page
      .locator("button.phone-study-toggle")
      .nth(has ? 0 : 1)
      .click();
    await page.locator(".series-card").first().waitFor();
  }
  await page.getByRole("button", { name: label }).first().click();
  if (!has) await page.getByRole("dialog").waitFor();
}

async function openViewer(page: Page): Promise<void> {
  await seeList(page);
  await page
    .getByRole("button", { name: /^(Abrir|Open|Abrir no visualizador|Open in the viewer)(: .*)?$/ })
    .first()
    .click();
  if (isPhone(page)) {
    await page.locator(".visor canvas[data-slice]").waitFor();
    return;
  }
  const frame = await (await page.locator("iframe").elementHandle())?.contentFrame();
  await frame?.locator("canvas.cornerstone-canvas").first().waitFor();
  if (frame) await lookAtImage(frame);
}

/** The list of studies and what opens from it. */
export const listViews: Record<string, View> = {
  list: { who: "owner", show: seeList },
  "list-select": { who: "owner", show: select },
  "bulk-delete": { who: "owner", show: (page) => actOnSelected(page, "Excluir", "Delete") },
  "bulk-share": { who: "owner", show: (page) => actOnSelected(page, "Compartilhar", "Share") },
  "bulk-link": {
    who: "owner",
    async show(page) {
      await actOnSelected(page, "Compartilhar", "Share");
      await page.getByRole("dialog").locator("button.is-lit").first().click();
      await page.locator("[role=dialog] figure img").first().waitFor();
    },
  },
  "bulk-download": { who: "owner", show: (page) => actOnSelected(page, "Baixar", "Download") },
  "list-open": { who: "owner", show: expandFirst },
  "list-filters": {
    who: "owner",
    async show(page) {
      await seeList(page);
      await page.locator(".filter-more, .filter-open").click();
      await page.locator(".filter-fields").waitFor();
    },
  },
  "list-none-found": {
    who: "owner",
    async show(page) {
      await seeList(page);
      await page.locator("search input").first().fill("ninguém");
      await page.waitForResponse(LIST);
      await settle(page);
    },
  },
  "list-admin": { who: "admin", show: seeList },
  "list-doctor": { who: "doctor", show: seeList },
  "list-empty": { who: "newcomer", show: seeList },
  "list-loading": { who: "owner", prepare: hang(LIST), show: openList },
  "list-error": {
    who: "owner",
    prepare: fail(LIST),
    async show(page) {
      await openList(page);
      await page.locator(".error-card, [role=alert]").first().waitFor();
    },
  },
  "list-top": { who: "owner", stored: { menuPosition: "topbar" }, show: seeList },
  delete: { who: "owner", show: (page) => act(page, "Excluir exame", "Delete exam") },
  share: { who: "owner", show: (page) => share(page) },
  "share-people": {
    who: "owner",
    async show(page) {
      await share(page);
      await page.getByRole("tab").nth(1).click();
    },
  },
  "link-ready": {
    who: "owner",
    async show(page) {
      await share(page);
      await page.getByRole("dialog").locator("button.is-lit").first().click();
      await page.locator("[role=dialog] figure img").first().waitFor();
    },
  },
  "report-attach": { who: "owner", show: (page) => openReport(page, false) },
  report: {
    who: "owner",
    async show(page) {
      await openReport(page, true);
      await page.locator("main[data-view=laudo] .pdf-sheet canvas").first().waitFor();
      await page.locator(".textLayer span").first().waitFor({ state: "attached" });
    },
  },
  viewer: { who: "owner", show: openViewer },
};
