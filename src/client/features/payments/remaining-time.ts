import type { Payment } from "../../../shared/api/payments.ts";
import { useServerNow } from "../../ui/use-now.ts";

/** How long a payment can still be made, read again every second: never more than it was given, nor below 0. */
export function useRemainingMs({ createdAt, expiresAt }: Pick<Payment, "createdAt" | "expiresAt">): number {
  const end = Date.parse(expiresAt);
  const leftMs = Math.min(end - useServerNow(), end - Date.parse(createdAt));
  return Math.max(0, leftMs);
}
