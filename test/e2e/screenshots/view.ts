import type { Locator, Page } from "playwright-core";
import type { DemoPeople } from "../../support/browser/demo-people.ts";

/** A state of the product to be looked at. */
export interface View {
  /** Signed in as; nobody without it. */
  who?: keyof DemoPeople;
  /** `/his` for a signed-in person, else `/`. */
  path?: string;
  /** In the browser's local storage before the page comes. */
  stored?: Record<string, string>;
  /** Before the page comes, such as answers that fail or never arrive. */
  prepare?: (page: Page) => Promise<unknown>;
  /** From the page as it was loaded to what is to be seen. */
  show?: (page: Page) => Promise<unknown>;
  /** Widths at which there is such a state; all without it. */
  only?: (width: number) => boolean;
}

/** Of the widths that are taken, the phone's. */
export const isPhoneWidth = (width: number) => width < 640;
export const isPhone = (page: Page) => isPhoneWidth(page.viewportSize()?.width ?? 0);

/** A name in whichever language the page is; `after` is a pattern of what may follow it. */
function name(portuguese: string, english: string, after = ""): RegExp {
  const escaped = [portuguese, english].map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^(${escaped.join("|")})${after}$`);
}

export const button = (place: Page | Locator, portuguese: string, english: string) =>
  place.getByRole("button", { name: name(portuguese, english, "(: .*)?") }).filter({ visible: true });

export const field = (place: Page | Locator, portuguese: string, english: string) =>
  place.getByLabel(name(portuguese, english));

/** Goes to a view of /his by its menu entry, on a phone through the drawer. */
export async function goTo(page: Page, view: string, portuguese: string, english: string): Promise<void> {
  if (isPhone(page)) await page.locator(".phone-tabs > :last-child").click();
  await button(page.locator("nav"), portuguese, english).first().click();
  await page.locator(`main[data-view=${view}]`).waitFor();
  await settle(page);
}

/** Until nothing in the view is still being loaded. */
export async function settle(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector("main [aria-busy=true], dialog [aria-busy=true]") === null,
  );
}

/** Answers these calls with an error. */
export const fail = (glob: string) => (page: Page) =>
  page.route(glob, (route) => {
    const message = route.request().headers()["accept-language"]?.startsWith("en")
      ? "The storage is not responding. Try again shortly."
      : "O armazenamento não responde. Tente novamente em instantes.";
    return route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: JSON.stringify({
        ...{ type: "about:blank", title: "Service Unavailable", status: 503, code: "store.unavailable" },
        ...{ message, requestId: "7f3a2c" },
      }),
    });
  });

/** Never answers these calls. */
export const hang = (glob: string) => (page: Page) => page.route(glob, () => undefined);
