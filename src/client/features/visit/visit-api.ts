import { visitFirstImageFrameCall, visitFirstImageMetadataCall } from "../../../shared/api/first-image.ts";
import {
  keepVisitCall,
  openVisitCall,
  readVisitCall,
  type Visit,
  visitDownloadCall,
  visitPictureCall,
  visitReportCall,
  visitSeriesPictureCall,
} from "../../../shared/api/links.ts";
import { addressOf, callApi, callJson } from "../../calls/api.ts";
import { callFile } from "../../calls/file-calls.ts";
import type { AskFirstImage } from "../../visor/core/first-image.ts";

/** Calls of a visitor. None but `keep` carries a session, so that none of them ends one. */
export const visitApi = {
  open: (body: { link: string; secret: string; passcode?: string; attempt: string }): Promise<Visit> =>
    callJson(openVisitCall, { body, anonymous: true }),
  read: (token: string): Promise<Visit> => callJson(readVisitCall, { params: { token }, anonymous: true }),
  async report(token: string, study: string): Promise<Blob> {
    return await callFile(visitReportCall, { params: { token, study }, anonymous: true });
  },
  firstImage:
    (token: string, study: string): AskFirstImage =>
    (part, options) =>
      callApi(part === "frame" ? visitFirstImageFrameCall : visitFirstImageMetadataCall, {
        params: { token, study },
        anonymous: true,
        ...options,
      }),
  keep: (token: string) => callApi(keepVisitCall, { params: { token } }),
};

/** Addresses that the browser reads by itself; the token in them is what opens them. */
export const visitAddresses = {
  picture: (token: string, study: string) => addressOf(visitPictureCall, { token, study }),
  preview: (token: string, study: string) => addressOf(visitPictureCall, { token, study }, { size: "512" }),
  seriesPicture: (token: string, study: string, series: string) =>
    addressOf(visitSeriesPictureCall, { token, study, series }),
  download: (token: string, study: string) => addressOf(visitDownloadCall, { token, study }),
};
