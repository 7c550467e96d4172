import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { downloadTicketSchema } from "./studies.ts";

export type DownloadTicket = z.infer<typeof downloadTicketSchema>;

/** Studies that are downloaded as one file. */
export const MAX_STUDIES_OF_DOWNLOAD = 50;
export const studiesDownloadSchema = z.object({
  studyIds: z.array(z.string().check(z.uuid())).check(z.minLength(1), z.maxLength(MAX_STUDIES_OF_DOWNLOAD)),
});
/** `leftOut` are the studies that the file does not hold, with the reason as a code and in the caller's language. */
export const studiesDownloadTicketSchema = z.extend(downloadTicketSchema, {
  leftOut: z.array(z.object({ id: z.string(), code: z.optional(z.string()), message: z.string() })),
});
export type StudiesDownloadTicket = z.infer<typeof studiesDownloadTicketSchema>;

export const studiesDownloadTicketCall = {
  method: "POST",
  path: "/api/studies/download-ticket",
  body: studiesDownloadSchema,
  answer: studiesDownloadTicketSchema,
} as const satisfies Call;
