import * as z from "zod/mini";
import { actingTokenSchema } from "./access-tokens.ts";
import type { Call } from "./call.ts";

export const ACTIVITY_PER_PAGE = 50;
/** Something that was done: `actorName` is null for a visitor, the system, and whose account was deleted. */
export const activitySchema = z.object({
  events: z.array(
    z.object({
      id: z.number(),
      at: z.string(),
      action: z.string(),
      actorName: z.nullable(z.string()),
      /** Whether the caller acted. */
      isYours: z.boolean(),
      /** Description of one's own exam, while it exists. */
      exam: z.nullable(z.string()),
      address: z.nullable(z.string()),
      token: z.optional(actingTokenSchema),
    }),
  ),
  hasMore: z.boolean(),
});
export type Activity = z.infer<typeof activitySchema>;

export const activityCall = {
  method: "GET",
  path: "/api/users/activity",
  query: z.object({ before: z.optional(z.coerce.number<number>().check(z.int(), z.minimum(1))) }),
  answer: activitySchema,
} as const satisfies Call;
