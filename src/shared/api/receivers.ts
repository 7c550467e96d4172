import * as z from "zod/mini";
import { type Call, done } from "./call.ts";

const MAX_TITLE_LENGTH = 16;
const MAX_SENDERS = 50;

/** An application entity's title (PS3.5 §6.2, AE): ASCII without backslash; spaces around it do not count. */
export const aeTitleSchema = z
  .string("validation.required")
  .check(
    z.trim(),
    z.minLength(1, "validation.required"),
    z.maxLength(MAX_TITLE_LENGTH, "validation.tooLong"),
    z.regex(/^[\x20-\x5b\x5d-\x7e]*$/, "validation.invalid"),
  );

/** An IPv4 or IPv6 address, or a range of them such as `10.0.0.0/8`. */
const addressSchema = z
  .string("validation.required")
  .check(
    z.trim(),
    z.maxLength(64, "validation.tooLong"),
    z.regex(/^[0-9a-fA-F.:]+(\/\d{1,3})?$/, "validation.invalid"),
  );

const senders = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.optional(
    z.nullable(z.array(schema, "validation.invalid").check(z.maxLength(MAX_SENDERS, "validation.invalid"))),
  );

export const newReceiverSchema = z.object({
  aeTitle: aeTitleSchema,
  /** Titles that may send; none: any. */
  callingAETitles: senders(aeTitleSchema),
  /** Addresses that may send; none: any. */
  addresses: senders(addressSchema),
});
export type NewReceiver = z.infer<typeof newReceiverSchema>;

const seenSchema = z.object({ at: z.string(), callingAETitle: z.string(), address: z.string() });

export const receiverSchema = z.object({
  id: z.string(),
  aeTitle: z.string(),
  callingAETitles: z.array(z.string()),
  addresses: z.array(z.string()),
  createdAt: z.string(),
  /** Instances since it was made. */
  instances: z.number(),
  lastReceived: z.nullable(seenSchema),
  /** Associations that were rejected, and the last of them. */
  refusals: z.number(),
  lastRefused: z.nullable(seenSchema),
  /** Where DICOM senders connect; null while the server does not listen. */
  port: z.nullable(z.number()),
  tls: z.boolean(),
});
export type Receiver = z.infer<typeof receiverSchema>;

export const receiversCall = {
  method: "GET",
  path: "/api/receivers",
  answer: z.array(receiverSchema),
} as const satisfies Call;

export const makeReceiverCall = {
  method: "POST",
  path: "/api/receivers",
  body: newReceiverSchema,
  answer: receiverSchema,
} as const satisfies Call;

export const endReceiverCall = {
  method: "DELETE",
  path: "/api/receivers/:id",
  answer: done("ended"),
} as const satisfies Call;
