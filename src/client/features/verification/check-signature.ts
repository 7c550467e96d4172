import { verifyAsync } from "@noble/ed25519";
import * as z from "zod/mini";
import type { PublicKey } from "../../../shared/api/receipts.ts";
import { parseJson } from "../../runtime/parse-json.ts";

/** A compact JWS, taken apart. */
export interface SignedText {
  kid: string;
  payload: unknown;
  signed: Uint8Array;
  signature: Uint8Array;
}

/**
 * Whether a key of this server signed the text: `unknown` if another server's key did, or if nothing is signed; `unreachable` if
 * the keys could not be read.
 */
export type SignatureState = "valid" | "invalid" | "unknown" | "unreachable";

const headerSchema = z.object({ alg: z.literal("EdDSA"), kid: z.string() });

/** Undefined if the text is no JWS of a receipt. */
export function readSignedText(text: string): SignedText | undefined {
  const [header = "", payload = "", signature = "", ...more] = text.trim().split(".");
  if (more.length > 0 || [header, payload, signature].some((part) => !/^[\w-]+$/.test(part)))
    return undefined;
  const read = headerSchema.safeParse(parseJson(textOf(header)));
  const content = parseJson(textOf(payload));
  if (!read.success || content === undefined) return undefined;
  return {
    kid: read.data.kid,
    payload: content,
    signed: new TextEncoder().encode(`${header}.${payload}`),
    signature: bytesOf(signature),
  };
}

/** Checks the signature here, without WebCrypto: browsers have it only on secure origins, and older ones lack Ed25519. */
export async function checkSignature(
  { kid, signed, signature }: SignedText,
  keys: readonly PublicKey[] | undefined,
): Promise<SignatureState> {
  if (!keys) return "unreachable";
  const key = keys.find((candidate) => candidate.kid === kid);
  if (!key) return "unknown";
  try {
    return (await verifyAsync(signature, signed, bytesOf(key.x))) ? "valid" : "invalid";
  } catch {
    // A signature of a wrong length, or that is no point of the curve.
    return "invalid";
  }
}

function textOf(base64url: string): string {
  return new TextDecoder().decode(bytesOf(base64url));
}

function bytesOf(base64url: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64url.replace(/-/g, "+").replace(/_/g, "/")), (char) =>
      char.charCodeAt(0),
    );
  } catch {
    return new Uint8Array(0);
  }
}
