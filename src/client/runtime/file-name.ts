import { t } from "@lingui/core/macro";

const MAX_NAME = 120;
/** Windows opens a device by such a name, whatever the ending. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** A file name made from the parts of a title, without what file systems refuse. */
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
    .replace(/\p{Cs}$/u, "")
    .replace(DEVICE, "_$&");
  return `${name || t({ id: "save.nameless", message: "document" })}.${ending}`;
}
