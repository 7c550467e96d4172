import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { writtenDateTimeSchema, writtenDaySchema } from "./dates.ts";
import { plain } from "./plain-text.ts";

const text = z.optional(z.string().check(plain, z.maxLength(1024)));

/**
 * `formData` of `POST /api/upload-dicom`: every value is optional, and an empty one leaves the attribute as it is.
 * `patientBirthDate` is `YYYY-MM-DD` and `examinedAt` `YYYY-MM-DDTHH:MM[:SS]`; both may be digits alone, as DICOM writes them.
 * `patientGender` is `M`, `F` or `O`.
 */
export const uploadMetadataSchema = z.object({
  patientIDTag: text,
  patientName: text,
  patientBirthDate: z.optional(writtenDaySchema),
  patientGender: z.optional(z.enum(["M", "F", "O"])),
  accessionNumber: text,
  description: text,
  examinedAt: z.optional(writtenDateTimeSchema),
  modality: text,
  studyInstanceUID: text,
  institutionName: text,
});
export type UploadMetadata = z.infer<typeof uploadMetadataSchema>;

export const uploadAnswerSchema = z.object({
  studyInstanceUID: z.string(),
  studies: z.array(
    z.object({
      id: z.string(),
      studyInstanceUID: z.string(),
      imagesReceived: z.number(),
      duplicates: z.number(),
      /** Of the duplicates, those that came more than once in this upload. */
      repeats: z.optional(z.number()),
    }),
  ),
  instancesReceived: z.number(),
  /** At most 1,000 names; `skippedCount` counts all. */
  skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
  skippedCount: z.number(),
  /**
   * Instances whose bytes differ from the instance shown under the same SOP Instance UID. Both are kept and downloaded.
   * `name` is the name of the ZIP entry. At most 1,000; `conflictCount` counts all.
   */
  conflicts: z._default(z.array(z.object({ name: z.string(), sopInstanceUID: z.string() })), []),
  conflictCount: z._default(z.number(), 0),
});
export type UploadAnswer = z.infer<typeof uploadAnswerSchema>;

export const uploadDicomCall = {
  method: "POST",
  path: "/api/upload-dicom",
  form: z.object({ formData: z.optional(uploadMetadataSchema) }),
  file: "zipFile",
  answer: uploadAnswerSchema,
} as const satisfies Call;
