import {
  beginDeliveryCall,
  type OpenedRequest,
  openRequestCall,
  uploadReceiptCall,
} from "../../../shared/api/deliveries.ts";
import type { SignedReceipt } from "../../../shared/api/receipts.ts";
import { listUploadsCall, type ResumableUploadState } from "../../../shared/api/resumable.ts";
import { callApi, callJson } from "../../api.ts";

/** Calls of somebody who delivers. Those about uploads carry the delivery's token, which the page lends to all calls. */
export const deliveryApi = {
  open: (request: string, secret: string): Promise<OpenedRequest> =>
    callJson(openRequestCall, { body: { request, secret }, anonymous: true }),
  begin: (body: { request: string; secret: string; from: string }): Promise<{ token: string }> =>
    callJson(beginDeliveryCall, { body, anonymous: true }),
  uploads: (): Promise<ResumableUploadState[]> => callJson(listUploadsCall, {}),
  receipt: (upload: string, study: string): Promise<SignedReceipt> =>
    callJson(uploadReceiptCall, { params: { upload }, query: { study } }),
  async paper(upload: string, study: string): Promise<Blob> {
    const asked = { params: { upload }, query: { study }, accept: "application/pdf" };
    return await (await callApi(uploadReceiptCall, asked)).blob();
  },
};
