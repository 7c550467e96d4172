import {
  beginDeliveryCall,
  type OpenedRequest,
  openRequestCall,
  uploadReceiptCall,
} from "../../../shared/api/deliveries.ts";
import type { SignedReceipt } from "../../../shared/api/receipts.ts";
import { listUploadsCall, type ResumableUploadState } from "../../../shared/api/resumable.ts";
import { callApi, callJson, readAnswer } from "../../calls/api.ts";
import { callFile } from "../../calls/file-calls.ts";

/** Calls of somebody who delivers. Those about uploads carry the delivery's token, which the page lends to all calls. */
export const deliveryApi = {
  open: (request: string, secret: string): Promise<OpenedRequest> =>
    callJson(openRequestCall, { body: { request, secret }, anonymous: true }),
  begin: (body: { request: string; secret: string; from: string }): Promise<{ token: string }> =>
    callJson(beginDeliveryCall, { body, anonymous: true }),
  uploads: (): Promise<ResumableUploadState[]> => callJson(listUploadsCall, {}),
  receipt: (upload: string, study: string, signal: AbortSignal): Promise<SignedReceipt> =>
    callJson(uploadReceiptCall, { params: { upload }, query: { study }, signal }),
  /** One paper of all that the uploads brought. */
  async paper([upload = "", ...others]: readonly string[]): Promise<Blob> {
    const query = others.length > 0 ? { also: others.join(",") } : {};
    const asked = { params: { upload }, query, accept: "application/pdf" };
    return await callFile(uploadReceiptCall, asked);
  },
  /** The QR code by which a study's receipt is checked, as a `data:` URL. */
  async qrCode(upload: string, study: string, signal: AbortSignal): Promise<string> {
    const asked = { params: { upload }, query: { study }, accept: "image/svg+xml", signal };
    const drawn = await readAnswer((await callApi(uploadReceiptCall, asked)).text());
    return `data:image/svg+xml;base64,${btoa(drawn)}`;
  },
};
