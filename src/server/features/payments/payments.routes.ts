import { Hono } from "hono";
import * as z from "zod/mini";
import { pageLimitSchema } from "../../../shared/api/page-limit.ts";
import { newPaymentSchema, paymentListQuerySchema } from "../../../shared/api/payments.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { Guard } from "../../http/guard.ts";
import { notFound } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import { confirmPayment } from "./confirm-payment.ts";
import { createPayment } from "./create-payment.ts";
import { readPayment, readPaymentHistory, readPayments } from "./read-payments.ts";
import { isWebhookSecret, pixWebhookSchema, receiveWebhook } from "./receive-webhook.ts";
import { refundPayment } from "./refund-payment.ts";

const admin = { roles: ["admin"] } as const;
const payer = { roles: ["user"] } as const;
const idSchema = z.object({ id: z.string().check(z.uuid()) });

export function createPaymentsRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.post("/payments/create", guard(payer), validate("json", newPaymentSchema), async (c) => {
    const { planId } = c.req.valid("json");
    return c.json(await createPayment(deps, c.get("session").userId, planId, originOf(c)), 201);
  });

  routes.get("/payments/user/history", guard({}), validate("query", pageLimitSchema), async (c) =>
    c.json(await readPaymentHistory(deps, c.get("session").userId, c.req.valid("query").limit)),
  );

  routes.get("/payments", guard(admin), validate("query", paymentListQuerySchema), async (c) => {
    const { payments, total } = await readPayments(deps, c.req.valid("query"));
    c.header("X-Total-Count", String(total));
    return c.json(payments);
  });

  routes.get("/payments/:id", guard({}), validate("param", idSchema), async (c) =>
    c.json(await readPayment(deps, c.get("session"), c.req.valid("param").id)),
  );

  routes.post("/payments/:id/confirm", guard(admin), validate("param", idSchema), async (c) =>
    c.json(await confirmPayment(deps, c.get("session"), c.req.valid("param").id, originOf(c))),
  );

  routes.post("/payments/:id/refund", guard(admin), validate("param", idSchema), async (c) =>
    c.json(await refundPayment(deps, c.get("session"), c.req.valid("param").id, originOf(c))),
  );

  routes.post(
    "/payments/webhook/:secret/pix",
    guard("public"),
    async (c, next) => {
      if (!isWebhookSecret(deps, c.req.param("secret"))) throw new AppError(notFound);
      await next();
    },
    validate("json", pixWebhookSchema),
    async (c) => {
      await receiveWebhook(deps, c.req.valid("json"));
      return c.json({});
    },
  );

  return routes;
}
