import { Hono } from "hono";
import {
  beginDeliveryCall,
  createRequestCall,
  endRequestCall,
  listRequestsCall,
  openRequestCall,
  uploadReceiptCall,
} from "../../../shared/api/deliveries.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import { archiveDamaged, heldByAnotherNode, tooManyRequests } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { validate } from "../../http/validate.ts";
import { tooManyReads } from "../dicomweb/dicomweb.errors.ts";
import { requestNotFound } from "../ingest/resumable/delivery.errors.ts";
import { resumableNotFound } from "../ingest/resumable/resumable.errors.ts";
import { receiptNotFound, receiptNotReady, receiptTooLarge } from "../receipts/receipts.errors.ts";
import {
  answerPaper,
  answerQr,
  answerReceipt,
  prefersPaper,
  prefersQr,
} from "../receipts/receipts.routes.ts";
import { beginDelivery } from "./begin-delivery.ts";
import { createRequest } from "./create-request.ts";
import { tooManyRequestsOpen } from "./deliveries.errors.ts";
import { endRequest } from "./end-request.ts";
import { openRequest } from "./open-request.ts";
import { readRequests } from "./read-requests.ts";
import { readUploadPaper, readUploadReceipt } from "./upload-receipt.ts";

const describe = describeIn("Deliveries");

/** Requests for exams, and what people without an account deliver by them. */
export function createDeliveriesRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();

  routes.post(
    createRequestCall.path,
    guard({ subscription: "own", scope: "api" }),
    describe(createRequestCall, {
      summary: "Ask somebody without an account for exams",
      status: 201,
      details:
        "Valid for 7 days, at most 30, and for one delivery unless `uses` says more. The secret in `url` is in no other answer: the server keeps only its hash.",
      problems: [tooManyRequestsOpen],
    }),
    validate("json", createRequestCall.body),
    async (c) => {
      const input = { ...c.req.valid("json"), locale: c.get("locale") };
      return c.json(await createRequest(deps, c.get("session"), input, originOf(c)), 201);
    },
  );

  routes.get(
    listRequestsCall.path,
    guard({ scope: "api" }),
    describe(listRequestsCall, {
      summary: "List one's own requests for exams",
      details: "Newest first, at most 200, with what they brought. Those that are over stay for 90 days.",
    }),
    async (c) => c.json(await readRequests(deps, c.get("session").userId)),
  );

  routes.delete(
    endRequestCall.path,
    guard({ scope: "api" }),
    describe(endRequestCall, {
      summary: "End a request for exams",
      status: 204,
      details: "What is on its way is dropped; what was stored stays. A second time it is 204 again.",
      problems: [requestNotFound],
    }),
    async (c) => {
      await endRequest(deps, c.get("session"), c.req.param("id"), originOf(c));
      return c.body(null, 204);
    },
  );

  routes.post(
    openRequestCall.path,
    guard("public"),
    describe(openRequestCall, {
      summary: "Read what a request asks for",
      details:
        "`request.not_found` is the one answer for a request that is unknown, ended, expired or used up, and for a wrong secret.",
      problems: [requestNotFound, tooManyRequests],
    }),
    validate("json", openRequestCall.body),
    async (c) => c.json(await openRequest(deps, c.req.valid("json"), c.get("address"))),
  );

  routes.post(
    beginDeliveryCall.path,
    guard("public"),
    describe(beginDeliveryCall, {
      summary: "Begin a delivery",
      status: 201,
      details:
        "`token` is a bearer for `/api/uploads` alone, where it sees its own uploads. The delivery counts as a use of the request once its first study is stored. `request.not_found` is the one answer for a request that does not open.",
      problems: [requestNotFound, tooManyRequests],
    }),
    validate("json", beginDeliveryCall.body),
    async (c) => c.json(await beginDelivery(deps, c.req.valid("json"), originOf(c)), 201),
  );

  routes.get(
    uploadReceiptCall.path,
    guard({ scope: "api", deliveries: true }),
    describe(uploadReceiptCall, {
      summary: "Read the signed receipt of what an upload brought",
      details:
        "For whoever sent it. Of several studies, `study` names one, and without it the first is meant. With `Accept: application/pdf`, the paper; without `study`, one for all of them and for those of the uploads that `also` names. With `Accept: image/svg+xml`, the QR code of the paper. A deliverer reads only of instances that they sent.",
      params: { upload: "The upload's id." },
      media: ["application/json", "application/pdf", "image/svg+xml"],
      problems: [
        resumableNotFound,
        receiptNotFound,
        receiptNotReady,
        receiptTooLarge,
        archiveDamaged,
        tooManyReads,
        heldByAnotherNode,
      ],
    }),
    validate("query", uploadReceiptCall.query),
    async (c) => {
      const { study, also } = c.req.valid("query");
      const id = c.req.param("upload");
      if (study === undefined && prefersPaper(c)) {
        const ids = [id, ...(also?.split(",") ?? [])];
        return await answerPaper(c, deps, await readUploadPaper(deps, c.get("session"), ids));
      }
      const found = await readUploadReceipt(deps, c.get("session"), id, study);
      if (prefersQr(c)) return answerQr(deps, found);
      return await answerReceipt(c, deps, found);
    },
  );

  return routes;
}
