import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { instantSchema } from "./dates.ts";
import { lineOfText, requiredLine } from "./plain-text.ts";
import { signedReceiptSchema } from "./receipts.ts";

export const MAX_REQUEST_DAYS = 30;
export const DEFAULT_REQUEST_DAYS = 7;
export const MAX_REQUEST_USES = 20;
/** Uploads of one delivery: a clinic sends an exam a ZIP, or all of them in one, and what is larger than an upload in several. */
export const MAX_DELIVERY_UPLOADS = 50;
/** What is under way when a request expires may go on for as long as uploads are kept, and its receipts are read so long. */
export const DELIVERY_DAYS_AFTER_EXPIRY = 7;
const UUID_LENGTH = 36;
/** How long the owner of an account may delete what others delivered to it, without using an action. */
export const FREE_REFUSAL_DAYS = 7;
const MAX_NAME_LENGTH = 200;
/** Every delivery's token begins so, which tells it from other tokens. */
export const DELIVERY_TOKEN_PREFIX = "dlv_";

const nameSchema = requiredLine(MAX_NAME_LENGTH);

/** A request for exams. Everything but `label` may be left out. */
export const newRequestSchema = z.object({
  /** Who is asked, as both sides read it. */
  label: nameSchema,
  /** Whom the exams are for, as the clinic reads it; without it a first name and an initial. */
  shownName: z.optional(z.nullable(lineOfText(MAX_NAME_LENGTH))),
  /** ISO 8601; at most 30 days ahead. */
  expiresAt: z.optional(z.nullable(instantSchema)),
  /** How many deliveries it serves. */
  uses: z._default(z.number().check(z.int(), z.minimum(1), z.maximum(MAX_REQUEST_USES)), 1),
});
export type NewRequest = z.input<typeof newRequestSchema>;

/** The only answer that holds the secret, in the fragment of `url`. */
export const createdRequestSchema = z.object({
  id: z.string(),
  url: z.string(),
  /** The address as a QR code: a `data:` URL of an image. */
  qrCode: z.string(),
  label: z.string(),
  shownName: z.string(),
  expiresAt: z.string(),
});
export type CreatedRequest = z.infer<typeof createdRequestSchema>;

/** `sending`: bytes are on their way. `received`: it brought what it was made for, or expired after it brought something. */
export const requestStates = ["open", "sending", "received", "expired", "ended"] as const;

export const deliverySchema = z.object({
  id: z.string(),
  /** Who delivers, as they say. */
  from: z.string(),
  createdAt: z.string(),
  /** When its first study was stored; null before. */
  receivedAt: z.nullable(z.string()),
  /** The studies that it made, if they still exist. */
  studyIds: z.array(z.string()),
  images: z.number(),
});

export const requestSchema = z.object({
  id: z.string(),
  label: z.string(),
  shownName: z.string(),
  state: z.enum(requestStates),
  uses: z.number(),
  used: z.number(),
  createdAt: z.string(),
  expiresAt: z.string(),
  endedAt: z.nullable(z.string()),
  /** When the page was opened last. */
  openedAt: z.nullable(z.string()),
  /** How much of what is on its way has arrived, in percent; null if nothing is. */
  percent: z.nullable(z.number()),
  /** Newest first. */
  deliveries: z.array(deliverySchema),
});
export type Request = z.infer<typeof requestSchema>;

const twoParts = {
  /** The two parts of the address; whatever they are, a request that is not there is not found. */
  request: z.string(),
  secret: z.string(),
};

/** What the clinic's page says before anything is sent. */
export const openedRequestSchema = z.object({
  label: z.string(),
  shownName: z.string(),
  expiresAt: z.string(),
});
export type OpenedRequest = z.infer<typeof openedRequestSchema>;

/** `token` is shown in this answer only. */
export const begunDeliverySchema = z.object({ token: z.string() });

export const createRequestCall = {
  method: "POST",
  path: "/api/requests",
  body: newRequestSchema,
  answer: createdRequestSchema,
} as const satisfies Call;

export const listRequestsCall = {
  method: "GET",
  path: "/api/requests",
  answer: z.array(requestSchema),
} as const satisfies Call;

export const endRequestCall = { method: "DELETE", path: "/api/requests/:id" } as const satisfies Call;

export const openRequestCall = {
  method: "POST",
  path: "/api/requests/open",
  body: z.object(twoParts),
  answer: openedRequestSchema,
} as const satisfies Call;

export const beginDeliveryCall = {
  method: "POST",
  path: "/api/deliveries",
  body: z.object({ ...twoParts, from: nameSchema }),
  answer: begunDeliverySchema,
} as const satisfies Call;

/**
 * The receipt of what an upload brought; `study` names one of several studies. `also` lists more uploads, separated by commas: the
 * paper shows their studies too.
 */
export const uploadReceiptCall = {
  method: "GET",
  path: "/api/uploads/:upload/receipt",
  query: z.object({
    study: z.optional(z.string().check(z.maxLength(64))),
    also: z.optional(z.string().check(z.maxLength(MAX_DELIVERY_UPLOADS * (UUID_LENGTH + 1)))),
  }),
  answer: signedReceiptSchema,
} as const satisfies Call;
