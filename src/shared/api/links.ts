import * as z from "zod/mini";
import { type Call, done } from "./call.ts";
import { instantSchema } from "./dates.ts";
import { lineOfText } from "./plain-text.ts";
import { seriesSchema, studyPictureCall, studySchema } from "./studies.ts";

export const MAX_LINK_STUDIES = 50;
export const MAX_LINK_DAYS = 365;
export const DEFAULT_LINK_DAYS = 7;
export const MAX_RECIPIENT_LENGTH = 200;
/** How many wrong passcodes end a link. */
export const MAX_WRONG_PASSCODES = 10;

/** A link to some studies of one account. Everything but `studyIds` may be left out. */
export const newLinkSchema = z.object({
  /** Ids or Study Instance UIDs. */
  studyIds: z
    .array(z.string().check(z.minLength(1), z.maxLength(64)))
    .check(z.minLength(1), z.maxLength(MAX_LINK_STUDIES)),
  /** Whom the link is for, as its maker remembers them; visitors read it too. */
  recipient: z.optional(z.nullable(lineOfText(MAX_RECIPIENT_LENGTH))),
  /** ISO 8601; at most 365 days ahead. */
  expiresAt: z.optional(z.nullable(instantSchema)),
  /** Whether visitors must know six digits, which are made for this link. */
  passcode: z.optional(z.boolean()),
  laudo: z._default(z.boolean(), true),
  download: z._default(z.boolean(), false),
  maxOpenings: z.optional(z.nullable(z.number().check(z.int(), z.minimum(1), z.maximum(10_000)))),
});
export type NewLink = z.input<typeof newLinkSchema>;

/** The only answer that holds the secret (in the fragment of `url`) and the passcode. */
export const createdLinkSchema = z.object({
  id: z.string(),
  url: z.string(),
  /** The address as a QR code: a `data:` URL of an image. */
  qrCode: z.string(),
  passcode: z.optional(z.string()),
  expiresAt: z.string(),
});
export type CreatedLink = z.infer<typeof createdLinkSchema>;

/** `used`: every opening of `maxOpenings` was used. `blocked`: ended by wrong passcodes. */
export const linkStates = ["active", "ended", "expired", "used", "blocked"] as const;

export const linkSchema = z.object({
  id: z.string(),
  studyIds: z.array(z.string()),
  recipient: z.nullable(z.string()),
  state: z.enum(linkStates),
  hasPasscode: z.boolean(),
  laudo: z.boolean(),
  download: z.boolean(),
  maxOpenings: z.nullable(z.number()),
  openings: z.number(),
  wrongPasscodes: z.number(),
  createdAt: z.string(),
  expiresAt: z.string(),
  endedAt: z.nullable(z.string()),
  lastOpenedAt: z.nullable(z.string()),
});
export type Link = z.infer<typeof linkSchema>;

/** One visit. `device` is what the visitor's browser says it is, such as "iPhone, Safari"; null if it says nothing. */
export const openingSchema = z.object({
  at: z.string(),
  address: z.string(),
  device: z.nullable(z.string()),
  readReport: z.boolean(),
  downloaded: z.boolean(),
});
export type Opening = z.infer<typeof openingSchema>;

/** `link` and `secret` are the two parts of the link's address; whatever they are, a link that is not there is not found. */
export const visitRequestSchema = z.object({
  link: z.string(),
  secret: z.string(),
  /** Spaces are ignored. */
  passcode: z.optional(z.nullable(z.string().check(z.maxLength(64)))),
  /** Random, and the same when an answer did not arrive and the link is opened again. */
  attempt: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_-]{22,64}$/))),
});

/** A study as a visitor sees it. `laudo`: there is a report, and this link shows it. */
export const visitedStudySchema = z.object({
  ...z.pick(studySchema, {
    id: true,
    studyInstanceUID: true,
    patientName: true,
    patientBirthDate: true,
    patientGender: true,
    studyDescription: true,
    studyDate: true,
    examinedAt: true,
    institutionName: true,
    modality: true,
    imagesReceived: true,
    documentsReceived: true,
    seriesCount: true,
    sizeBytes: true,
    storageStatus: true,
    laudo: true,
  }).shape,
  series: z.array(seriesSchema),
});
export type VisitedStudy = z.infer<typeof visitedStudySchema>;

/** `token` opens the studies under `/dicomweb/t/{token}` until the link ends, at most for 12 hours. */
export const visitSchema = z.object({
  token: z.string(),
  /** The name of the account whose studies they are. */
  owner: z.string(),
  recipient: z.nullable(z.string()),
  /** When the link ends by itself. */
  expiresAt: z.string(),
  laudo: z.boolean(),
  download: z.boolean(),
  /** Those that its account still keeps, at least one, in the order in which they were put into the link. */
  studies: z.array(visitedStudySchema),
  /** How many more the link had, which its account no longer keeps; absent if none. Nothing else is said of them. */
  studiesRemoved: z.optional(z.number()),
});
export type Visit = z.infer<typeof visitSchema>;

/** What the problem `link.passcode` says besides its code: the owner's first name and initial, and the tries left. */
export const passcodeProblemSchema = z.object({ owner: z.string(), triesLeft: z.number() });

export const createLinkCall = {
  method: "POST",
  path: "/api/links",
  body: newLinkSchema,
  answer: createdLinkSchema,
} as const satisfies Call;

export const listLinksCall = {
  method: "GET",
  path: "/api/links",
  query: z.object({ study: z.optional(z.string().check(z.maxLength(64))) }),
  answer: z.array(linkSchema),
} as const satisfies Call;

/** Newest first. */
export const listOpeningsCall = {
  method: "GET",
  path: "/api/links/:id/openings",
  answer: z.array(openingSchema),
} as const satisfies Call;

export const endLinkCall = { method: "DELETE", path: "/api/links/:id" } as const satisfies Call;

export const openVisitCall = {
  method: "POST",
  path: "/api/visits",
  body: visitRequestSchema,
  answer: visitSchema,
} as const satisfies Call;

/** The same visit again, for a page that was reloaded; not another opening. */
export const readVisitCall = {
  method: "GET",
  path: "/api/visits/:token",
  answer: visitSchema,
} as const satisfies Call;

export const visitReportCall = {
  method: "GET",
  path: "/api/visits/:token/studies/:study/laudo",
} as const satisfies Call;

export const visitDownloadCall = {
  method: "GET",
  path: "/api/visits/:token/studies/:study/download",
  /** A medium to take along (`as=pdi`) is for those who have an account. */
  query: z.object({ as: z.optional(z.never()) }),
} as const satisfies Call;

/** Gives the caller's own account access to the studies of a visit. */
export const keepVisitCall = {
  method: "POST",
  path: "/api/visits/:token/keep",
  answer: done("kept"),
} as const satisfies Call;

export const visitPictureCall = {
  method: "GET",
  path: "/api/visits/:token/studies/:study/thumbnail",
  query: studyPictureCall.query,
} as const satisfies Call;

export const visitSeriesPictureCall = {
  method: "GET",
  path: "/api/visits/:token/studies/:study/series/:series/thumbnail",
} as const satisfies Call;
