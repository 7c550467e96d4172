import * as z from "zod/mini";
import { plain } from "./plain-text.ts";

/** In characters. */
export const MAX_DESCRIPTION_LENGTH = 200;
/** What the index calls a study; an empty description goes back to that of its images. */
export const studyNameSchema = z.object({
  description: z.string().check(plain, z.maxLength(MAX_DESCRIPTION_LENGTH, "validation.tooLong")),
});
