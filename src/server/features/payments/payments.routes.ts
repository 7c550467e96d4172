import { Hono, type MiddlewareHandler } from "hono";
import * as z from "zod/mini";
import {
  confirmPaymentCall,
  createPaymentCall,
  listPaymentsCall,
  paymentHistoryCall,
  readPaymentCall,
  refundPaymentCall,
} from "../../../shared/api/payments.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import { notFound } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { sayTotal, totalCount } from "../../http/total-count.ts";
import { validate, validateId } from "../../http/validate.ts";
import { planNotFound, planTooSmall } from "../subscriptions/subscriptions.errors.ts";
import { confirmPayment } from "./confirm-payment.ts";
import { createPayment } from "./create-payment.ts";
import {
  notConfirmable,
  notRefundable,
  paymentNotFound,
  pixNotConfigured,
  pixUnavailable,
  planEndless,
  refundRejected,
  tooManyPayments,
} from "./payments.errors.ts";
import { readPayment, readPaymentHistory, readPayments } from "./read-payments.ts";
import { isWebhookSecret, pixWebhookSchema, receiveWebhook } from "./receive-webhook.ts";
import { refundPayment } from "./refund-payment.ts";

const admin = { roles: ["admin"] } as const;
const payer = { roles: ["user"] } as const;
const describe = describeIn("Payments");
const webhookAnswerSchema = z.object({});

export function createPaymentsRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.post(
    createPaymentCall.path,
    guard(payer),
    describe(createPaymentCall, {
      summary: "Ask for the Pix of a plan",
      status: 201,
      details: "While one is pending, that one again.",
      problems: [planNotFound, planTooSmall, planEndless, pixNotConfigured, pixUnavailable, tooManyPayments],
    }),
    validate("json", createPaymentCall.body),
    async (c) => {
      const { planId } = c.req.valid("json");
      return c.json(await createPayment(deps, c.get("session").userId, planId, originOf(c)), 201);
    },
  );

  routes.get(
    paymentHistoryCall.path,
    guard({}),
    describe(paymentHistoryCall, { summary: "List one's own payments", details: "Newest first." }),
    validate("query", paymentHistoryCall.query),
    async (c) => c.json(await readPaymentHistory(deps, c.get("session").userId, c.req.valid("query").limit)),
  );

  routes.get(
    listPaymentsCall.path,
    guard(admin),
    describe(listPaymentsCall, {
      summary: "List everybody's payments",
      details: "Newest first.",
      headers: totalCount,
    }),
    validate("query", listPaymentsCall.query),
    async (c) => {
      const { payments, total } = await readPayments(deps, c.req.valid("query"));
      sayTotal(c, total);
      return c.json(payments);
    },
  );

  routes.get(
    readPaymentCall.path,
    guard({}),
    describe(readPaymentCall, { summary: "Read a payment", problems: [paymentNotFound] }),
    validateId(paymentNotFound),
    async (c) => c.json(await readPayment(deps, c.get("session"), c.req.valid("param").id)),
  );

  routes.post(
    confirmPaymentCall.path,
    guard(admin),
    describe(confirmPaymentCall, {
      summary: "Confirm that a payment was received",
      problems: [paymentNotFound, notConfirmable],
    }),
    validateId(paymentNotFound),
    async (c) => c.json(await confirmPayment(deps, c.get("session"), c.req.valid("param").id, originOf(c))),
  );

  routes.post(
    refundPaymentCall.path,
    guard(admin),
    describe(refundPaymentCall, {
      summary: "Give a payment back",
      problems: [paymentNotFound, notRefundable, refundRejected, pixUnavailable],
    }),
    validateId(paymentNotFound),
    async (c) => c.json(await refundPayment(deps, c.get("session"), c.req.valid("param").id, originOf(c))),
  );

  const webhook = {
    params: { secret: "PIX_WEBHOOK_SECRET of the operator." },
    problems: [notFound],
  };
  const ofOurPsp: MiddlewareHandler = async (c, next) => {
    if (!isWebhookSecret(deps, c.req.param("secret") ?? "")) throw new AppError(notFound);
    await next();
  };

  routes.post(
    "/api/payments/webhook/:secret",
    guard("public"),
    describe(
      { answer: webhookAnswerSchema },
      {
        summary: "Be tried by the PSP",
        details:
          "Some PSPs take the address of a webhook only once it has answered 200. The body is not read.",
        ...webhook,
      },
    ),
    ofOurPsp,
    (c) => c.json({}),
  );

  routes.post(
    "/api/payments/webhook/:secret/pix",
    guard("public"),
    describe(
      { answer: webhookAnswerSchema },
      {
        summary: "Be told of a Pix by the PSP (API Pix)",
        details: "Only the `txid`s are read; the PSP itself is asked whether they are paid.",
        ...webhook,
      },
    ),
    ofOurPsp,
    validate("json", pixWebhookSchema),
    async (c) => {
      await receiveWebhook(deps, c.req.valid("json"));
      return c.json({});
    },
  );

  return routes;
}
