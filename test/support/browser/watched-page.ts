import type { BrowserContext, Page } from "playwright-core";

/**
 * Problems in a context's pages from now on: errors on the console (breaches of the content security policy
 * are among them), texts that no catalogue had when they were shown, uncaught exceptions, requests that failed, answers of 400 and
 * above.
 */
export function watchForTrouble(context: BrowserContext): string[] {
  const trouble: string[] = [];
  context.on("console", (message) => {
    const lacksText = message.text().startsWith("Uncompiled message");
    if (message.type() === "error" || lacksText) trouble.push(`console: ${message.text()}`);
  });
  context.on("weberror", (event) => {
    const { name, message, stack } = event.error();
    // A browser's own error of a worker has no stack.
    trouble.push(`exception: ${stack || `${name}: ${message}`}`);
  });
  context.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // Requests under way when a page or the viewer's frame closes, and links that turn out to be downloads.
    if (reason !== "net::ERR_ABORTED") trouble.push(`request: ${reason} ${request.url()}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) trouble.push(`answer: ${response.status()} ${response.url()}`);
  });
  return trouble;
}

/** Opens a page of ours and waits until it can be used. */
export async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: "commit" });
  await page.locator("[data-island][data-ready]").waitFor();
}
