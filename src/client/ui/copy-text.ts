import { t } from "@lingui/core/macro";
import { showToast } from "./toast.tsx";

/**
 * Whether the text is in the clipboard now. The person, the page's policy or the browser may not allow it, and pages without https
 * have no clipboard; a toast says so then.
 */
export async function copyText(text: string): Promise<boolean> {
  const isCopied = await writeClipboard(text);
  if (!isCopied)
    showToast({
      tone: "bad",
      title: t({ id: "copy.failed", message: "This could not be copied" }),
      text: t({ id: "copy.failed.text", message: "Select the text and copy it by hand." }),
    });
  return isCopied;
}

/** As {@link copyText}, for a text that a press asked for and that comes later; false, and no word of it, if it does not come. */
export async function copyWhenMade(made: Promise<string>): Promise<boolean> {
  try {
    // Given to the browser within the press: some seconds later it may refuse.
    const blob = made.then((text) => new Blob([text], { type: "text/plain" }));
    // A browser that refuses at once leaves it to nobody.
    blob.catch(() => undefined);
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    await made;
    return true;
  } catch {
    // It refused, or takes no text that is yet to come.
    const text = await made.catch(() => undefined);
    return text !== undefined && (await copyText(text));
  }
}

/** Whether the text is in the clipboard now; as {@link copyText}, without a word of a refusal. */
export async function writeClipboard(text: string): Promise<boolean> {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  try {
    await clipboard?.writeText(text);
    return clipboard !== undefined;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}
