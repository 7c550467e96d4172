/** Whether the text is in the clipboard now: the person, the page's policy or the browser may not allow it. */
export async function copyText(text: string): Promise<boolean> {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  try {
    await clipboard?.writeText(text);
    return clipboard !== undefined;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}
