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
import { parseJson } from "../../runtime/parse-json.ts";
import { inflateHead } from "../upload/read-dicom/inflate-head.ts";
import { checkSignature, readSignedText, type SignatureState } from "./check-signature.ts";

/** What a person brought to be checked: a whole receipt, or the digest of one from the QR code of its paper. */
export interface OpenedReceipt {
  /** With the images and bytes of all receipts of a paper; else as the first says. */
  digest: ReceiptDigest;
  /** Undefined if only the QR code's text was read. */
  receipt: Receipt | undefined;
  /** The further receipts of a paper about several exams. */
  others?: Receipt[];
  /** So many receipts of the paper can't be read. */
  unread?: number;
  /** The worst of all. */
  signature: SignatureState;
}

/** A paper of which no receipt can be read. */
export interface UnreadReceipts {
  unread: number;
}

/** The receipts that were read; none if only the QR code's text was. */
export function receiptsOf({ receipt, others = [] }: OpenedReceipt): Receipt[] {
  return receipt ? [receipt, ...others] : [];
}

/** From bad to good. */
const byTrust: readonly SignatureState[] = ["invalid", "unknown", "unreachable", "valid"];

/** A receipt of 100,000 instances takes some 30 MB. */
const MAX_RECEIPT_BYTES = 64 * 1024 * 1024;
/** The most bytes to read and to make while what a PDF carries is inflated: a hostile PDF could keep this page busy. */
const MAX_INFLATE_WORK = 2 * MAX_RECEIPT_BYTES;
/** An inflater takes so much memory. */
const INFLATER_BYTES = 32 * 1024;

/** Reads a receipt from a file: the paper, the JSON of the API, or a JWS. Undefined if it is none of them. */
export async function openReceiptFile(
  file: Blob,
  keys: readonly PublicKey[] | undefined,
): Promise<OpenedReceipt | UnreadReceipts | undefined> {
  if (file.size > MAX_RECEIPT_BYTES) return undefined;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isPdf = new TextDecoder("latin1").decode(bytes.subarray(0, 5)) === "%PDF-";
  if (!isPdf) return await openReceiptText(new TextDecoder().decode(bytes), keys);
  const opened = await Promise.all(
    attachedFiles(bytes).map(async ({ text, isReceipt }) => ({
      isReceipt,
      one: text === undefined ? undefined : await openReceiptText(text, keys),
    })),
  );
  const found = joined(opened.flatMap(({ one }) => one ?? []));
  const unread = opened.filter(({ one, isReceipt }) => isReceipt && !one).length;
  return unread > 0 ? { ...found, unread } : found;
}

function joined(opened: readonly OpenedReceipt[]): OpenedReceipt | undefined {
  const whole = opened.filter(({ receipt }) => receipt !== undefined);
  const [first = opened[0], ...more] = whole;
  if (!first || more.length === 0) return first;
  const sum = (of: (digest: ReceiptDigest) => number) =>
    whole.reduce((total, { digest }) => total + of(digest), 0);
  const images = sum((digest) => digest.images);
  const sizeBytes = sum((digest) => digest.sizeBytes);
  return {
    receipt: first.receipt,
    others: more.flatMap(({ receipt }) => receipt ?? []),
    digest: { ...first.digest, images, sizeBytes },
    signature: byTrust.find((state) => whole.some(({ signature }) => signature === state)) ?? "unknown",
  };
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

interface AttachedFile {
  /** Undefined if it can't be inflated, or if there is more in the PDF than is read. */
  text: string | undefined;
  /** Whether the PDF says that it is a JWS, as our paper does. */
  isReceipt: boolean;
}

/** The files that our paper carries, deflated. */
function attachedFiles(pdf: Uint8Array): AttachedFile[] {
  const text = new TextDecoder("latin1").decode(pdf);
  // Bounded: a PDF full of beginnings would be read to its end from each of them.
  const head =
    /\/Type \/EmbeddedFile [^>]{0,300}>>? ?\/Length (\d{1,10}) \/Filter \/FlateDecode >>\nstream\n/g;
  const files: AttachedFile[] = [];
  let left = MAX_INFLATE_WORK;
  const spend = (bytes: number) => {
    left -= bytes;
  };
  for (let found = head.exec(text); found; found = head.exec(text)) {
    const start = found.index + found[0].length;
    const end = start + Number(found[1]);
    const deflated = pdf.subarray(start + ZLIB_HEADER_BYTES, end);
    const inflated = left > 0 ? inflateHead(deflated, left, spend) : undefined;
    spend(INFLATER_BYTES);
    head.lastIndex = end;
    files.push({
      text: inflated && new TextDecoder().decode(inflated),
      isReceipt: found[0].includes("/application#2Fjose "),
    });
  }
  return files;
}
