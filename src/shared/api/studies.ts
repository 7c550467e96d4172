import * as z from "zod/mini";
import { UID } from "../dicom/uid.ts";
import { emailOnlySchema } from "./account-fields.ts";
import { type Call, done } from "./call.ts";
import { dayOrEmptySchema } from "./dates.ts";
import { listPageSchema } from "./page-limit.ts";
import { studyNameSchema } from "./study-name.ts";
import { roleSchema } from "./users.ts";

export const storageStatuses = ["local", "transferring", "b2", "error"] as const;
export const storageStatusSchema = z.enum(storageStatuses);
export type StorageStatus = z.infer<typeof storageStatusSchema>;

/**
 * What is known of the bytes at rest: `ok` once all of them were read again, `damaged` if some differ from what was
 * stored (they are never shown), `missing` if an object is gone.
 */
export const integrities = ["unchecked", "ok", "damaged", "missing"] as const;
export const integritySchema = z.enum(integrities);
export type Integrity = z.infer<typeof integritySchema>;

/** What this caller may do with a study that they can see; screens offer only these. */
export const studyAccessSchema = z.object({
  download: z.boolean(),
  delete: z.boolean(),
  /** Grant and revoke access, and read the audit log. */
  share: z.boolean(),
  attachReport: z.boolean(),
  deleteReport: z.boolean(),
});
export type StudyAccess = z.infer<typeof studyAccessSchema>;

/** Dates are `YYYY-MM-DD`, `examinedAt` `YYYY-MM-DDTHH:MM[:SS]` in the clinic's own time. */
export const studySchema = z.object({
  id: z.string(),
  studyInstanceUID: z.string(),
  /** As the index has it, carets included; screens show only the part before the first `^`. */
  patientName: z.nullable(z.string()),
  patientID: z.nullable(z.string()),
  patientBirthDate: z.nullable(z.string()),
  patientGender: z.nullable(z.enum(["male", "female", "other"])),
  studyDescription: z.nullable(z.string()),
  studyDate: z.nullable(z.string()),
  examinedAt: z.nullable(z.string()),
  accessionNumber: z.nullable(z.string()),
  institutionName: z.nullable(z.string()),
  /** Codes joined by a backslash if a study has several. */
  modality: z.nullable(z.string()),
  imagesReceived: z.number(),
  /** How many of `imagesReceived` are documents, such as a PDF among the images; left out if none is. */
  documentsReceived: z.optional(z.number()),
  seriesCount: z.number(),
  sizeBytes: z.number(),
  /** `error` if `integrity` is `missing`: nothing can be opened. */
  storageStatus: storageStatusSchema,
  integrity: integritySchema,
  /** When the bytes were last checked with this result; null while they are unchecked. */
  verifiedAt: z.nullable(z.string()),
  laudo: z.boolean(),
  /** Whether the values of the upload form differ from those of the instances. */
  isOverridden: z.boolean(),
  access: studyAccessSchema,
  /** The owner; null for the caller's own study. */
  ownerName: z.nullable(z.string()),
  /** Who delivered it without an account, as they said; else null. */
  receivedFrom: z.nullable(z.string()),
  createdAt: z.string(),
});
export type Study = z.infer<typeof studySchema>;

export const seriesSchema = z.object({
  id: z.string(),
  seriesInstanceUID: z.string(),
  seriesDescription: z.nullable(z.string()),
  seriesNumber: z.nullable(z.number()),
  modality: z.nullable(z.string()),
  imagesReceived: z.number(),
});
export type Series = z.infer<typeof seriesSchema>;

export const studyStatusSchema = z.object({ status: storageStatusSchema, isReady: z.boolean() });
export type StudyStatus = z.infer<typeof studyStatusSchema>;

export const studySorts = [
  "studyDate",
  "studyDescription",
  "patientName",
  "modality",
  "imagesReceived",
  "seriesCount",
  "createdAt",
] as const;

const searchText = z.string().check(z.maxLength(200));

/** Query of `GET /api/studies`; without `limit` all are returned, at most 10,000. */
export const studyListQuerySchema = z.extend(listPageSchema, {
  sort: z.optional(z.enum(studySorts)),
  order: z.optional(z.enum(["asc", "desc"])),
  /** Words that patient, patient ID, accession number, description, institution and modality must contain among them. */
  search: z.optional(searchText),
  patientName: z.optional(searchText),
  patientID: z.optional(searchText),
  accessionNumber: z.optional(searchText),
  description: z.optional(searchText),
  modality: z.optional(z.string().check(z.maxLength(16))),
  startDate: z.optional(dayOrEmptySchema),
  endDate: z.optional(dayOrEmptySchema),
  /** Leaves out studies that others let the caller see. */
  whose: z.optional(z.literal("own")),
});
export type StudyListQuery = z.infer<typeof studyListQuerySchema>;

/** Text fields of the form that uploads a report; the PDF is the field `laudo`. */
export const reportUploadSchema = z.object({
  studyInstanceUID: z.string("validation.required").check(z.minLength(1, "validation.required")),
});

/** `data` of `GET /generate-token`, base64 or base64url of JSON. */
export const viewerTokenRequestSchema = z
  .array(
    z
      .object({ userId: z.string(), studyInstanceUID: z.optional(z.string()), id: z.optional(z.string()) })
      .check(z.refine((pair) => Boolean(pair.id ?? pair.studyInstanceUID), "validation.required")),
  )
  .check(z.minLength(1), z.maxLength(16));
/** Why the viewer can show nothing of a study: it has no images, or none that the viewer can decode. */
export const viewerObstacleSchema = z.enum(["no_images", "no_decoder"]);
export type ViewerObstacle = z.infer<typeof viewerObstacleSchema>;

/** `url` is the path of the viewer page, token included. */
export const viewerTokenSchema = z.object({
  token: z.string(),
  url: z.string(),
  obstacle: z.nullable(viewerObstacleSchema),
});
export type ViewerToken = z.infer<typeof viewerTokenSchema>;

/** `url` is a path; a download can be started for 5 minutes and resumed for an hour. */
export const downloadTicketSchema = z.object({
  url: z.string(),
  fileName: z.string(),
  sizeBytes: z.number(),
});

/** `GET /generate-token`; `data` is described by {@link viewerTokenRequestSchema}. */
export const viewerTokenQuerySchema = z.object({ data: z.string().check(z.maxLength(8192)) });

export const viewerTokenCall = {
  method: "GET",
  path: "/generate-token",
  query: viewerTokenQuerySchema,
  answer: viewerTokenSchema,
} as const satisfies Call;

/** The person to whom access is, or was, granted. */
export const granteeSchema = z.object({
  userId: z.string(),
  name: z.string(),
  email: z.string(),
  role: roleSchema,
});
export const grantSchema = z.extend(granteeSchema, { createdAt: z.string() });
export type Grant = z.infer<typeof grantSchema>;

export const assignmentSchema = z.object({ userId: z.string().check(z.uuid()) });

/** `images` is a version number: a browser that asks with another number uses none of the pictures in its cache. */
export const pictureQuerySchema = z.object({ images: z.optional(z.string()) });

/** A body for which studies an upload would add to; as many as a screen lists. */
export const MAX_ASKED_STUDIES = 200;
export const keptQuestionSchema = z.object({
  studyInstanceUIDs: z
    .array(z.string().check(z.regex(UID)))
    .check(z.minLength(1), z.maxLength(MAX_ASKED_STUDIES)),
});
export const keptStudySchema = z.object({
  id: z.string(),
  studyInstanceUID: z.string(),
  imagesReceived: z.number(),
  createdAt: z.string(),
});
export type KeptStudy = z.infer<typeof keptStudySchema>;

/** Which of these studies the caller keeps in their own account; it says nothing of other accounts. */
export const keptStudiesCall = {
  method: "POST",
  path: "/api/studies/kept",
  body: keptQuestionSchema,
  answer: z.array(keptStudySchema),
} as const satisfies Call;

export const listStudiesCall = {
  method: "GET",
  path: "/api/studies",
  query: studyListQuerySchema,
  answer: z.array(studySchema),
} as const satisfies Call;

export const readStudyCall = {
  method: "GET",
  path: "/api/studies/:study",
  answer: studySchema,
} as const satisfies Call;

export const studyStatusCall = {
  method: "GET",
  path: "/api/studies/:study/status",
  answer: studyStatusSchema,
} as const satisfies Call;

export const listSeriesCall = {
  method: "GET",
  path: "/api/studies/:study/series",
  answer: z.array(seriesSchema),
} as const satisfies Call;

export const renameStudyCall = {
  method: "PATCH",
  path: "/api/studies/:study",
  body: studyNameSchema,
  answer: done("renamed"),
} as const satisfies Call;

export const deleteStudyCall = {
  method: "DELETE",
  path: "/api/studies/:study",
  answer: done("deleted"),
} as const satisfies Call;

export const downloadTicketCall = {
  method: "POST",
  path: "/api/studies/:study/download-ticket",
  answer: downloadTicketSchema,
} as const satisfies Call;

export const downloadStudyCall = {
  method: "GET",
  path: "/api/studies/:study/download",
  query: z.object({ as: z.optional(z.enum(["pdi"])) }),
} as const satisfies Call;

export const retryTransferCall = {
  method: "POST",
  path: "/api/studies/:study/retry-transfer",
} as const satisfies Call;

export const studyPictureCall = {
  method: "GET",
  path: "/api/studies/:study/thumbnail",
  /** `size=512`: the preview of the viewer's first image, 20 kB at most, where there is one. */
  query: z.extend(pictureQuerySchema, { size: z.optional(z.enum(["512"])) }),
} as const satisfies Call;

export const seriesPictureCall = {
  method: "GET",
  path: "/api/studies/:study/series/:series/thumbnail",
  query: pictureQuerySchema,
} as const satisfies Call;

export const assignStudyCall = {
  method: "POST",
  path: "/api/studies/:study/assign",
  body: assignmentSchema,
  answer: done("assigned"),
} as const satisfies Call;

export const shareStudyCall = {
  method: "POST",
  path: "/api/studies/:study/share",
  body: z.extend(emailOnlySchema, { asksForReport: z.optional(z.boolean()) }),
  answer: granteeSchema,
} as const satisfies Call;

export const listGrantsCall = {
  method: "GET",
  path: "/api/studies/:study/grants",
  answer: z.array(grantSchema),
} as const satisfies Call;

export const revokeGrantCall = {
  method: "DELETE",
  path: "/api/studies/:study/grants/:userId",
} as const satisfies Call;

export const readReportCall = { method: "GET", path: "/api/studies/laudo/:study" } as const satisfies Call;

export const deleteReportCall = {
  method: "DELETE",
  path: "/api/studies/laudo/:study",
  answer: done("deleted"),
} as const satisfies Call;

export const uploadReportCall = {
  method: "POST",
  path: "/api/studies/laudo/upload",
  form: reportUploadSchema,
  file: "laudo",
  answer: done("uploaded"),
} as const satisfies Call;
