import type { Tx } from "../../../db/client.ts";
import type { SettledUpload } from "../finished-upload.ts";

/** Decides which uploads of people without an account are let in. Both throw to refuse. */
export interface DeliveryGate {
  /** Runs in the transaction that records a new upload. */
  admit(tx: Tx, deliveryId: string): Promise<void>;
  /** Runs in the transaction that makes an upload visible. */
  settle(tx: Tx, deliveryId: string, stored: SettledUpload): Promise<void>;
}
