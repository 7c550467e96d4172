import { t } from "@lingui/core/macro";
import { showToast } from "./toast.tsx";

/**
 * Whether the text is in the clipboard now. The person, the page's policy or the browser may not allow it, and pages without https
 * have no clipboard; a toast says so then.
 */
export async function copyText(text: string): Promise<boolean> {
  const isCopied = await write(text);
  if (!isCopied)
    showToast({
      tone: "bad",
      title: t({ id: "copy.failed", message: "This could not be copied" }),
      text: t({ id: "copy.failed.text", message: "Select the text and copy it by hand." }),
    });
  return isCopied;
}

async function write(text: string): Promise<boolean> {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  try {
    await clipboard?.writeText(text);
    return clipboard !== undefined;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}
