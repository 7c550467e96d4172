import * as z from "zod/mini";

export const roles = ["admin", "user", "doctor", "lab"] as const;
export const roleSchema = z.enum(roles);
export type Role = z.infer<typeof roleSchema>;

/** The current user, flat; with `token` in the answers of login and verify-2fa. Times are ISO 8601 UTC. */
export const currentUserSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  cpfcnpj: z.nullable(z.string()),
  role: roleSchema,
  isTrial: z.boolean(),
  isAuthorized: z.boolean(),
  createdAt: z.string(),
  expiresAt: z.nullable(z.string()),
  profileImageUrl: z.nullable(z.string()),
  termsAcceptedAt: z.nullable(z.string()),
});
export type CurrentUser = z.infer<typeof currentUserSchema>;

export const signedInUserSchema = z.extend(currentUserSchema, { token: z.string() });
export type SignedInUser = z.infer<typeof signedInUserSchema>;
