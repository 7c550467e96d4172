import type { Page } from "playwright-core";
import { button, goTo, type View } from "./view.ts";

async function openUsers(page: Page): Promise<void> {
  await goTo(page, "users", "Gerenciar usuários", "Manage users");
  await page.locator(".users").waitFor();
}

async function askAboutUser(page: Page, label: RegExp): Promise<void> {
  await openUsers(page);
  await page.getByRole("button", { name: label }).first().click();
  await page.locator("[role=dialog], [role=alertdialog]").waitFor();
}

/** What an admin manages. */
export const userViews: Record<string, View> = {
  users: { who: "admin", show: openUsers },
  "user-add": {
    who: "admin",
    async show(page) {
      await openUsers(page);
      await button(page, "Adicionar usuário", "Add user").click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "user-edit": { who: "admin", show: (page) => askAboutUser(page, /^(Editar|Edit) Helena/) },
  "user-delete": { who: "admin", show: (page) => askAboutUser(page, /^(Excluir|Delete) Helena/) },
};
