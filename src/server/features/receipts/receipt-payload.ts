import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import type { Receipt } from "../../../shared/api/receipts.ts";
import type { ReceiptRow } from "./receipts.table.ts";

const deflate = promisify(zstdCompress);
const inflate = promisify(zstdDecompress);

/** A receipt's JSON as the database keeps it. */
export async function encodePayload(json: Uint8Array): Promise<Uint8Array> {
  return await deflate(json);
}

/** The receipt's JSON, byte for byte as it was signed. */
export async function payloadOf({ payload }: Pick<ReceiptRow, "payload">): Promise<Buffer> {
  return await inflate(payload);
}

export async function receiptOf(row: Pick<ReceiptRow, "payload">): Promise<Receipt> {
  return JSON.parse((await payloadOf(row)).toString("utf8")) as Receipt;
}

/** The JSON of an answer, in which the receipt stands byte for byte as it was signed. */
export async function* signedReceipt(
  row: Pick<ReceiptRow, "payload" | "detachedJws">,
): AsyncGenerator<Uint8Array> {
  const payload = await payloadOf(row);
  yield Buffer.from('{"receipt":');
  yield payload;
  yield Buffer.from(',"jws":"');
  for (const piece of jwsPieces(payload, row)) yield Buffer.from(piece, "latin1");
  yield Buffer.from('"}');
}

/** Encoded at once: a multiple of three bytes, so that the pieces join to one base64url text. */
const PIECE_BYTES = 48 * 1024;

/** The compact JWS of a receipt, piece by piece. */
export function* jwsPieces(
  payload: Buffer,
  { detachedJws }: Pick<ReceiptRow, "detachedJws">,
): Generator<string> {
  const [header = "", , signature = ""] = detachedJws.split(".");
  yield `${header}.`;
  for (let at = 0; at < payload.length; at += PIECE_BYTES)
    yield payload.subarray(at, at + PIECE_BYTES).toString("base64url");
  yield `.${signature}`;
}
