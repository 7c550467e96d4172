import * as z from "zod/mini";
import { type Payment, paymentSchema } from "../../../shared/api/payments.ts";
import { callJson } from "../../api.ts";

const HISTORY_LIMIT = 50;

/** Calls about the person's own payments. */
export const paymentsApi = {
  /** The Pix for a plan; while one is pending, that one again. */
  create: (planId: string): Promise<Payment> =>
    callJson(paymentSchema, "/api/payments/create", { method: "POST", body: { planId } }),
  read: (id: string, signal?: AbortSignal): Promise<Payment> =>
    callJson(paymentSchema, `/api/payments/${id}`, { signal }),
  /** The last 50, newest first. */
  history: (signal?: AbortSignal): Promise<Payment[]> =>
    callJson(z.array(paymentSchema), `/api/payments/user/history?limit=${HISTORY_LIMIT}`, { signal }),
};
