import type { Session } from "../../../http/session.ts";
import type { UploadScope } from "./resumable-uploads.table.ts";

/** Who sends a resumable upload, and into whose account. */
export interface UploadSender extends UploadScope {
  /** As the account's owner reads it; null for the owner. */
  from: string | null;
}

/** A session sends into its own account, and a delivery into that of its request. */
export function senderOfSession({ userId, delivery }: Session): UploadSender {
  return { accountId: userId, deliveryId: delivery?.id ?? null, from: delivery?.from ?? null };
}
