import * as z from "zod/mini";
import { actingTokenSchema } from "./access-tokens.ts";
import type { Call } from "./call.ts";

/**
 * `actorName` is null if the account of that person was deleted, for a visitor, who has come by the link `linkId`, and for a clinic
 * without an account (`isDelivery`), which has delivered as `from` if that is known.
 */
export const auditEntrySchema = z.object({
  at: z.string(),
  action: z.string(),
  actorName: z.nullable(z.string()),
  address: z.nullable(z.string()),
  linkId: z.optional(z.nullable(z.string())),
  device: z.optional(z.nullable(z.string())),
  isDelivery: z.optional(z.boolean()),
  from: z.optional(z.nullable(z.string())),
  token: z.optional(actingTokenSchema),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** Newest first, at most 200. */
export const studyAuditCall = {
  method: "GET",
  path: "/api/studies/:study/audit",
  answer: z.array(auditEntrySchema),
} as const satisfies Call;
