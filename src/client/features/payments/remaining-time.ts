import type { Payment } from "../../../shared/api/payments.ts";
import { useServerNow } from "../../ui/hooks/use-now.ts";

/** The time left to pay, updated every second: at most the payment's whole validity, at least 0. */
export function useRemainingMs({ createdAt, expiresAt }: Pick<Payment, "createdAt" | "expiresAt">): number {
  const end = Date.parse(expiresAt);
  const leftMs = Math.min(end - useServerNow(), end - Date.parse(createdAt));
  return Math.max(0, leftMs);
}
