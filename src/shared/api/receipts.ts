import * as z from "zod/mini";
import type { Call } from "./call.ts";

const sha256Schema = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/** One instance as it arrived. Two different instances under one UID are two of these. */
export const receivedInstanceSchema = z.object({
  sopInstanceUID: z.string(),
  sha256: sha256Schema,
  sizeBytes: z.number(),
});
export type ReceivedInstance = z.infer<typeof receivedInstanceSchema>;

export const receiptSchema = z.object({
  version: z.literal(1),
  studyInstanceUID: z.string(),
  receivedAt: z.string(),
  /** Who delivered the study, if a clinic did. */
  from: z.optional(z.string()),
  /** In the order of the lines that `root` is made of. */
  instances: z.array(receivedInstanceSchema),
  /** The SHA-256 of the lines `sopInstanceUID sha256\n`, sorted bytewise. */
  root: sha256Schema,
});
export type Receipt = z.infer<typeof receiptSchema>;

/** `jws` is a compact JWS (EdDSA) whose payload is the receipt's JSON. */
export const signedReceiptSchema = z.object({ receipt: receiptSchema, jws: z.string() });
export type SignedReceipt = z.infer<typeof signedReceiptSchema>;

/** The signed text of the QR code on the paper: a receipt without its list of instances. */
export const receiptDigestSchema = z.object({
  version: z.literal(1),
  receivedAt: z.string(),
  from: z.optional(z.string()),
  images: z.number(),
  sizeBytes: z.number(),
  root: sha256Schema,
});
export type ReceiptDigest = z.infer<typeof receiptDigestSchema>;

/** A receipt of a study as its history lists it. */
export const givenReceiptSchema = z.object({
  root: sha256Schema,
  receivedAt: z.string(),
  from: z.nullable(z.string()),
  images: z.number(),
  sizeBytes: z.number(),
});
export type GivenReceipt = z.infer<typeof givenReceiptSchema>;

/** A public key, as RFC 8037 writes it. */
export const publicKeySchema = z.object({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string(),
  kid: z.string(),
  alg: z.literal("EdDSA"),
  use: z.literal("sig"),
});
export type PublicKey = z.infer<typeof publicKeySchema>;

export const readReceiptCall = {
  method: "GET",
  path: "/api/studies/:study/receipt",
  query: z.object({ root: z.optional(sha256Schema) }),
  answer: signedReceiptSchema,
} as const satisfies Call;

export const listReceiptsCall = {
  method: "GET",
  path: "/api/studies/:study/receipts",
  answer: z.array(givenReceiptSchema),
} as const satisfies Call;

export const publicKeysCall = {
  method: "GET",
  path: "/.well-known/jwks.json",
  answer: z.object({ keys: z.array(publicKeySchema) }),
} as const satisfies Call;
