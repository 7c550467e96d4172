import * as z from "zod/mini";

/** RFC 9457 problem document, as every failed call answers. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.string(),
  message: z.string(),
  requestId: z.string(),
  violations: z.optional(z.array(z.object({ path: z.string(), code: z.string(), message: z.string() }))),
});

export type Problem = z.infer<typeof problemSchema>;
