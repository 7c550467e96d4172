import * as z from "zod/mini";
import { roleSchema } from "../../../shared/api/users.ts";
import { callApi, callJson } from "../../api.ts";

const granteeSchema = z.object({
  userId: z.string(),
  name: z.string(),
  email: z.string(),
  role: roleSchema,
});
const grantSchema = z.extend(granteeSchema, { createdAt: z.string() });
/** `actorName` is null for who has no account any more. */
const auditEntrySchema = z.object({
  at: z.string(),
  action: z.string(),
  actorName: z.nullable(z.string()),
  address: z.nullable(z.string()),
});

export type Grant = z.infer<typeof grantSchema>;
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** Calls about who may see a study, which is named by its `id`; only its owner's and an admin's are answered. */
export const sharingApi = {
  share: (studyId: string, email: string) =>
    callJson(granteeSchema, `/api/studies/${studyId}/share`, { method: "POST", body: { email } }),
  grants: (studyId: string, signal?: AbortSignal): Promise<Grant[]> =>
    callJson(z.array(grantSchema), `/api/studies/${studyId}/grants`, { signal }),
  revoke: (studyId: string, userId: string) =>
    callApi(`/api/studies/${studyId}/grants/${userId}`, { method: "DELETE" }),
  /** Newest first, at most 200. */
  audit: (studyId: string, signal?: AbortSignal): Promise<AuditEntry[]> =>
    callJson(z.array(auditEntrySchema), `/api/studies/${studyId}/audit`, { signal }),
};
