import * as z from "zod/mini";
import { type Call, done } from "./call.ts";
import { dayOrEmptySchema } from "./dates.ts";
import { plain } from "./plain-text.ts";

/** Modalities that a lab PDF can have. */
export const labModalities = ["DEN", "LAB", "CT", "MR", "US", "CR", "ES", "NM", "PT"] as const;

/** `examDate` is `YYYY-MM-DD`. */
export const labExamSchema = z.object({
  id: z.string(),
  laudoDescription: z.string(),
  modality: z.string(),
  examDate: z.nullable(z.string()),
  createdAt: z.string(),
});
export type LabExam = z.infer<typeof labExamSchema>;

/** Text fields of the upload form; the PDF is the field `file`. */
export const labUploadSchema = z.object({
  examName: z
    .string("validation.required")
    .check(plain, z.minLength(1, "validation.required"), z.maxLength(200, "validation.tooLong")),
  modality: z.enum(labModalities, "validation.required"),
  examDate: z.optional(dayOrEmptySchema),
});
export type LabUpload = z.infer<typeof labUploadSchema>;

export const labStatsSchema = z.object({
  planName: z.string(),
  currentLabExamCount: z.number(),
  labExamLimit: z.number(),
  labExamsRemaining: z.number(),
  labActionsThisMonth: z.number(),
  labActionLimit: z.number(),
  labActionsRemaining: z.number(),
  labActionUsagePercentage: z.number(),
  lastResetDate: z.string(),
});
export type LabStats = z.infer<typeof labStatsSchema>;

export const listLabExamsCall = {
  method: "GET",
  path: "/api/exams-lab",
  answer: z.array(labExamSchema),
} as const satisfies Call;

export const labStatsCall = {
  method: "GET",
  path: "/api/exams-lab/stats",
  answer: labStatsSchema,
} as const satisfies Call;

export const uploadLabExamCall = {
  method: "POST",
  path: "/api/exams-lab/upload",
  form: labUploadSchema,
  file: "file",
  answer: labExamSchema,
} as const satisfies Call;

export const viewLabExamCall = { method: "GET", path: "/api/exams-lab/:id/view" } as const satisfies Call;

/** Counts as an action of the month. */
export const downloadLabExamCall = {
  method: "GET",
  path: "/api/exams-lab/:id/download",
} as const satisfies Call;

export const deleteLabExamCall = {
  method: "DELETE",
  path: "/api/exams-lab/:id",
  answer: done("deleted"),
} as const satisfies Call;
