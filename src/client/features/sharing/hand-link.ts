import { t } from "@lingui/core/macro";
import { copyWhenMade } from "../../ui/copy-text.ts";
import { showToast } from "../../ui/toast.tsx";

/** What this browser can do with an address: open the system's share sheet, or copy it. */
export type LinkWay = "send" | "copy";

/** Undefined on a page without https, which may do neither. */
export function linkWay(): LinkWay | undefined {
  if ("share" in navigator) return "send";
  return "clipboard" in navigator ? "copy" : undefined;
}

/** Opens the system's share sheet. Where that is not allowed any more, as some seconds after a press, nothing happens. */
export async function sendLink(url: string, title: string): Promise<void> {
  try {
    await navigator.share({ url, title });
  } catch (error) {
    // Closing the share sheet is not a failure.
    if (!(error instanceof DOMException)) throw error;
  }
}

/** Sends or copies an address that is still being made; called in the press, to which browsers tie both. */
export async function handLink(way: LinkWay, made: Promise<{ url: string }>, title: string): Promise<void> {
  const address = made.then(({ url }) => url);
  if (way === "copy") {
    if (await copyWhenMade(address))
      showToast({ tone: "ok", title: t({ id: "link.copied", message: "Link copied" }) });
    return;
  }
  // Why no link was made is said by its form.
  const url = await address.catch(() => undefined);
  if (url !== undefined) await sendLink(url, title);
}
