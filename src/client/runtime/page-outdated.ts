/** Code of this page is no longer available, because a newer release has replaced it. The page must be loaded again. */
export class PageOutdated extends Error {
  override name = "PageOutdated";
  constructor(cause?: unknown) {
    super("a newer release has replaced this page", { cause });
  }
}

const ENTRY = /<script [^>]*src="(\/assets\/[^"]+)"/;

/** Asks the server whether it serves another release than the one of this page. False while the server can't be asked. */
export async function isPageOutdated(): Promise<boolean> {
  const own = document.querySelector("script[type=module][src]")?.getAttribute("src");
  const served = await servedEntry();
  return Boolean(own && served && own !== served);
}

/** The script of this page as the server has it now; undefined if something else answered, such as a network's sign-in page. */
async function servedEntry(): Promise<string | undefined> {
  try {
    const response = await fetch(window.location.pathname, { cache: "no-store" });
    return response.ok ? ENTRY.exec(await response.text())?.[1] : undefined;
  } catch {
    return undefined;
  }
}
