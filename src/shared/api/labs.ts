import * as z from "zod/mini";

export const labModalities = ["DEN", "LAB", "CT", "MR", "US", "CR", "ES", "NM", "PT"] as const;

/** SPEC's lab exam; `examDate` is `YYYY-MM-DD`. */
export const labExamSchema = z.object({
  id: z.string(),
  laudoDescription: z.string(),
  modality: z.string(),
  examDate: z.nullable(z.string()),
  createdAt: z.string(),
});
export type LabExam = z.infer<typeof labExamSchema>;

/** Text fields of the upload form; the PDF goes beside them as `file`. */
export const labUploadSchema = z.object({
  examName: z
    .string("validation.required")
    .check(z.trim(), z.minLength(1, "validation.required"), z.maxLength(200, "validation.tooLong")),
  modality: z.enum(labModalities, "validation.required"),
  examDate: z.optional(z.union([z.literal(""), z.iso.date("validation.invalid")])),
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
