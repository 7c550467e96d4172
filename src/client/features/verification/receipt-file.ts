import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import {
  type PublicKey,
  type Receipt,
  type ReceiptDigest,
  receiptDigestSchema,
  receiptSchema,
} from "../../../shared/api/receipts.ts";
import { compareReceived, receiptLine } from "../../../shared/rules/receipt-lines.ts";
import { parseJson } from "../../parse-json.ts";
import { inflateHead } from "../upload/read-dicom/inflate-head.ts";
import { checkSignature, readSignedText, type SignatureState } from "./check-signature.ts";

/** What a person brought to be checked: a whole receipt, or the digest of one from the QR code of its paper. */
export interface OpenedReceipt {
  digest: ReceiptDigest;
  /** Undefined if only the QR code's text was read. */
  receipt: Receipt | undefined;
  signature: SignatureState;
}

/** A receipt of 100,000 instances takes some 30 MB. */
const MAX_RECEIPT_BYTES = 64 * 1024 * 1024;

/** Reads a receipt from a file: the paper, the JSON of the API, or a JWS. Undefined if it is none of them. */
export async function openReceiptFile(
  file: Blob,
  keys: readonly PublicKey[] | undefined,
): Promise<OpenedReceipt | undefined> {
  if (file.size > MAX_RECEIPT_BYTES) return undefined;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isPdf = new TextDecoder("latin1").decode(bytes.subarray(0, 5)) === "%PDF-";
  const text = isPdf ? attachedText(bytes) : new TextDecoder().decode(bytes);
  return text === undefined ? undefined : await openReceiptText(text, keys);
}

/** Reads a receipt from text: the JSON of the API, a JWS, or the address in a QR code. */
export async function openReceiptText(
  text: string,
  keys: readonly PublicKey[] | undefined,
): Promise<OpenedReceipt | undefined> {
  const trimmed = text.trim();
  const json = trimmed.startsWith("{") ? parseJson(trimmed) : undefined;
  const jws = json === undefined ? trimmed.slice(trimmed.indexOf("#") + 1) : jwsIn(json);
  const signed = jws === undefined ? undefined : readSignedText(jws);
  const content = signed ? signed.payload : json;
  const signature = signed ? await checkSignature(signed, keys) : "unknown";
  const receipt = receiptSchema.safeParse(content);
  if (receipt.success) {
    const isConsistent = rootOf(receipt.data.instances) === receipt.data.root;
    return {
      receipt: receipt.data,
      digest: digestOf(receipt.data),
      signature: isConsistent ? signature : "invalid",
    };
  }
  const digest = receiptDigestSchema.safeParse(content);
  return digest.success ? { receipt: undefined, digest: digest.data, signature } : undefined;
}

/** The root that instances give, in any order. */
export function rootOf(instances: Receipt["instances"]): string {
  const root = sha256.create();
  const encoder = new TextEncoder();
  for (const instance of instances.toSorted(compareReceived))
    root.update(encoder.encode(receiptLine(instance)));
  return bytesToHex(root.digest());
}

function digestOf({ version, receivedAt, from, instances, root }: Receipt): ReceiptDigest {
  const sizeBytes = instances.reduce((sum, instance) => sum + instance.sizeBytes, 0);
  return {
    version,
    receivedAt,
    ...(from !== undefined && { from }),
    images: instances.length,
    sizeBytes,
    root,
  };
}

function jwsIn(json: unknown): string | undefined {
  const jws = typeof json === "object" && json !== null && "jws" in json ? json.jws : undefined;
  return typeof jws === "string" ? jws : undefined;
}

const ZLIB_HEADER_BYTES = 2;

/** The file that our paper carries, deflated. */
function attachedText(pdf: Uint8Array): string | undefined {
  const text = new TextDecoder("latin1").decode(pdf);
  const head = /\/Type \/EmbeddedFile [^>]*>>? ?\/Length (\d+) \/Filter \/FlateDecode >>\nstream\n/.exec(
    text,
  );
  if (!head) return undefined;
  const start = head.index + head[0].length;
  const deflated = pdf.subarray(start + ZLIB_HEADER_BYTES, start + Number(head[1]));
  const inflated = inflateHead(deflated, MAX_RECEIPT_BYTES);
  return inflated && new TextDecoder().decode(inflated);
}
