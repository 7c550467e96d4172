import { fileName } from "../../runtime/file-name.ts";
import { startBrowserDownload } from "../../runtime/start-browser-download.ts";

const KEPT_MS = 60_000;

/** Has the browser save bytes that are already here. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  startBrowserDownload(url, name);
  // Some browsers read it only after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** As {@link fileName}, of a PDF. */
export function pdfName(...parts: (string | null)[]): string {
  return fileName("pdf", ...parts);
}
