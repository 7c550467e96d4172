import * as z from "zod/mini";
import { type Call, done } from "./call.ts";
import { pageLimit, pageOffset } from "./page-limit.ts";

/** What is kept as an object of its own: images with their index, a laudo, a laboratory PDF. */
export const objectKinds = ["volume", "manifest", "report", "lab"] as const;
export const damages = ["damaged", "missing"] as const;
/**
 * How a finding ended: the bytes read right again, another copy replaced them, the exam was sent again, or what it was about was
 * removed.
 */
export const healings = ["reread", "copy", "upload", "removed"] as const;

export const scrubRoundSchema = z.object({
  startedAt: z.string(),
  /** Null while it runs. */
  finishedAt: z.nullable(z.string()),
  /** When it will have read everything at the latest; a server that was off catches up. */
  dueAt: z.string(),
  objectsRead: z.number(),
  objectsTotal: z.number(),
  bytesRead: z.number(),
  bytesTotal: z.number(),
  findings: z.number(),
});
export type ScrubRound = z.infer<typeof scrubRoundSchema>;

export const integritySummarySchema = z.object({
  /** Every object is read again within so many days; 0: never. */
  scrubDays: z.number(),
  /** The round that runs, else null. */
  round: z.nullable(scrubRoundSchema),
  /** Rounds that ended, newest first; at most 12. */
  pastRounds: z.array(scrubRoundSchema),
  openFindings: z.number(),
});
export type IntegritySummary = z.infer<typeof integritySummarySchema>;

export const findingSchema = z.object({
  id: z.string(),
  kind: z.enum(objectKinds),
  found: z.enum(damages),
  foundAt: z.string(),
  /** When a read last found the same. */
  checkedAt: z.string(),
  /** The object's key in the store, for whoever looks there. */
  object: z.string(),
  sizeBytes: z.number(),
  /** Null for a laboratory PDF, and for an exam that the caller can't see. */
  study: z.nullable(
    z.object({
      id: z.string(),
      description: z.nullable(z.string()),
      studyDate: z.nullable(z.string()),
      modality: z.nullable(z.string()),
      patientName: z.nullable(z.string()),
      patientID: z.nullable(z.string()),
    }),
  ),
  closedAt: z.nullable(z.string()),
  healedBy: z.nullable(z.enum(healings)),
});
export type IntegrityFinding = z.infer<typeof findingSchema>;

export const findingQuerySchema = z.object({
  state: z._default(z.enum(["open", "closed"]), "open"),
  limit: pageLimit,
  offset: pageOffset,
});

export const integrityCall = {
  method: "GET",
  path: "/api/integrity",
  answer: integritySummarySchema,
} as const satisfies Call;

export const listFindingsCall = {
  method: "GET",
  path: "/api/integrity/findings",
  query: findingQuerySchema,
  answer: z.object({ findings: z.array(findingSchema), total: z.number() }),
} as const satisfies Call;

/** Reads the exam again; a copy that is right by now closes the finding. */
export const recheckFindingCall = {
  method: "POST",
  path: "/api/integrity/findings/:id/recheck",
  answer: done("started"),
} as const satisfies Call;

/** Has every node look for another copy and put it back. */
export const restoreFindingCall = {
  method: "POST",
  path: "/api/integrity/findings/:id/restore",
  answer: done("started"),
} as const satisfies Call;
