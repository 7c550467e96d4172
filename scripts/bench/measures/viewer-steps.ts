import type { Page } from "playwright-core";
import { type Phone, type Seen, seenOn } from "../phone.ts";

export const atMost = (limit: number, unit: string) => ({
  target: { of: "value", atMost: limit } as const,
  targetText: `≤ ${limit} ${unit}`,
});

const opener = (page: Page) => page.locator("[data-opens]:visible").first();

export async function showList({ page }: Phone, url: string): Promise<void> {
  await page.goto(`${url}/his`);
  await page
    .getByRole("button", { name: /^Exames/ })
    .first()
    .tap();
  await opener(page).waitFor();
}

/** Opens the first exam of the list. */
export async function tapExam(phone: Phone): Promise<Required<Seen> & { bytes: number }> {
  phone.takeBytes();
  await phone.tap("[data-opens]");
  const seen = await seenOn(phone);
  return { ...seen, bytes: phone.takeBytes() };
}
