import * as z from "zod/mini";
import type { Call } from "./call.ts";

/** More instances of one study are not listed; an upload of such a study is sent whole. */
export const MAX_KEPT_INSTANCES = 20_000;
export const keptInstanceSchema = z.object({
  sopInstanceUID: z.string(),
  /** Of the whole DICOM file. */
  sizeBytes: z.number(),
  /** CRC-32 of the whole DICOM file, as a ZIP's directory has it. */
  crc32: z.number(),
});
export type KeptInstance = z.infer<typeof keptInstanceSchema>;
export const keptInstancesSchema = z.object({
  /** False if the lists are left empty: there are too many, or nobody knows which of them are damaged. */
  isComplete: z.boolean(),
  instances: z.array(keptInstanceSchema),
  /** Those that are damaged in the archive, and not among `instances`: sent again they are whole. */
  damaged: z.optional(z.array(keptInstanceSchema)),
});
export type KeptInstances = z.infer<typeof keptInstancesSchema>;

/** Which files of a study of one's own are kept, so that an upload sends only what is missing. */
export const keptInstancesCall = {
  method: "GET",
  path: "/api/studies/:study/kept-instances",
  answer: keptInstancesSchema,
} as const satisfies Call;
