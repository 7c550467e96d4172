import { t } from "@lingui/core/macro";
import { imageTypeOf, maxSupportImageBytes } from "../../../shared/api/support.ts";
import type { ValidationMessage } from "../../../shared/validation-messages.ts";

const SIGNATURE_BYTES = 8;

/** The problem with an image, by its size and first bytes; undefined if it may be sent. A picked file may be gone by now. */
export async function checkImage(file: File): Promise<ValidationMessage | string | undefined> {
  if (file.size > maxSupportImageBytes) return "support.imageTooLarge";
  try {
    const head = new Uint8Array(await file.slice(0, SIGNATURE_BYTES).arrayBuffer());
    return imageTypeOf(head) ? undefined : "support.invalidImageFormat";
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return t({ id: "support.imageUnreadable", message: "The file could not be read. Choose it again" });
  }
}
