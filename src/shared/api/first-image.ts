import type { Call } from "./call.ts";

/** DICOM JSON of the image that a viewer begins with. */
export const firstImageMetadataCall = {
  method: "GET",
  path: "/api/studies/:study/first-image/metadata",
} as const satisfies Call;

export const firstImageFrameCall = {
  method: "GET",
  path: "/api/studies/:study/first-image/frame",
} as const satisfies Call;

/** The same of a study of a visit. */
export const visitFirstImageMetadataCall = {
  method: "GET",
  path: "/api/visits/:token/studies/:study/first-image/metadata",
} as const satisfies Call;

export const visitFirstImageFrameCall = {
  method: "GET",
  path: "/api/visits/:token/studies/:study/first-image/frame",
} as const satisfies Call;
