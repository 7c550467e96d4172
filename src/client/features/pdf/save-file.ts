import { t } from "@lingui/core/macro";
import { startBrowserDownload } from "../../start-browser-download.ts";

const KEPT_MS = 60_000;
const MAX_NAME = 120;

/** Has the browser save bytes that are already here. */
export function saveFile(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  startBrowserDownload(url, fileName);
  // Some browsers read it only after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** A file name for a PDF, made from the parts of its title without characters that file systems refuse. */
export function pdfName(...parts: (string | null)[]): string {
  return fileName("pdf", ...parts);
}

/** The same for a file with another ending. */
export function fileName(ending: string, ...parts: (string | null)[]): string {
  const name = parts
    .filter(Boolean)
    .join("_")
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}_-]+/gu, "_")
    .replace(/_+/g, "_")
    .replace(/^_|_$/g, "")
    .slice(0, MAX_NAME)
    // Half of a character that takes two code units.
    .replace(/\p{Cs}$/u, "");
  return `${name || t({ id: "save.nameless", message: "document" })}.${ending}`;
}
