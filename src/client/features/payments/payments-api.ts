import {
  createPaymentCall,
  type Payment,
  paymentHistoryCall,
  readPaymentCall,
} from "../../../shared/api/payments.ts";
import { callJson } from "../../calls/api.ts";

const HISTORY_LIMIT = 50;

/** Calls about the person's own payments. */
export const paymentsApi = {
  /** Creates the Pix for a plan; while one is pending, returns that one. */
  create: (planId: string): Promise<Payment> => callJson(createPaymentCall, { body: { planId } }),
  read: (id: string, signal?: AbortSignal): Promise<Payment> =>
    callJson(readPaymentCall, { params: { id }, signal }),
  /** The last 50, newest first. */
  history: (signal?: AbortSignal): Promise<Payment[]> =>
    callJson(paymentHistoryCall, { query: { limit: HISTORY_LIMIT }, signal }),
};
