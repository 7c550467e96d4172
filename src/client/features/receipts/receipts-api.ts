import { type GivenReceipt, listReceiptsCall, readReceiptCall } from "../../../shared/api/receipts.ts";
import { callApi, callJson } from "../../calls/api.ts";
import { callFile } from "../../calls/file-calls.ts";

const noQuery = { query: {} };

export const receiptsApi = {
  /** The page to print, with the signed receipt attached. */
  async paper(study: string): Promise<Blob> {
    const request = { params: { study }, ...noQuery, accept: "application/pdf" };
    return await callFile(readReceiptCall, request);
  },
  /** The receipts of a study, newest first. The first one is made now if nobody has asked for one. */
  async list(study: string, signal?: AbortSignal): Promise<GivenReceipt[]> {
    const given = await callJson(listReceiptsCall, { params: { study }, signal });
    if (given.length > 0) return given;
    const made = await callApi(readReceiptCall, { params: { study }, ...noQuery, signal });
    await made.body?.cancel();
    return await callJson(listReceiptsCall, { params: { study }, signal });
  },
};
