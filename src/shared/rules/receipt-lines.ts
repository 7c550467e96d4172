import type { ReceivedInstance } from "../api/receipts.ts";

type Line = Pick<ReceivedInstance, "sopInstanceUID" | "sha256">;

/** The line of an instance, of which a receipt's root is made. */
export function receiptLine({ sopInstanceUID, sha256 }: Line): string {
  return `${sopInstanceUID} ${sha256}\n`;
}

/**
 * Orders instances as their lines are, byte by byte: a UID holds digits and dots only, which follow the space behind a shorter UID.
 */
export function compareReceived(a: Line, b: Line): number {
  if (a.sopInstanceUID !== b.sopInstanceUID) return a.sopInstanceUID < b.sopInstanceUID ? -1 : 1;
  if (a.sha256 === b.sha256) return 0;
  return a.sha256 < b.sha256 ? -1 : 1;
}
