import * as z from "zod/mini";
import { type Call, done } from "./call.ts";
import { instantSchema } from "./dates.ts";
import { requiredLine } from "./plain-text.ts";

/** What an access token may do: read and send exams over DICOMweb, or call the API. */
export const tokenScopes = ["dicomweb:read", "dicomweb:write", "api"] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** Every access token begins so, which tells it from a session's token and lets scanners of leaked secrets find it. */
export const ACCESS_TOKEN_PREFIX = "exm_";

export const newAccessTokenSchema = z.object({
  name: requiredLine(60),
  scopes: z
    .array(z.enum(tokenScopes, "validation.invalid"), "validation.required")
    .check(z.minLength(1, "validation.required"), z.maxLength(tokenScopes.length, "validation.invalid")),
  expiresAt: z.optional(z.nullable(instantSchema)),
});
export type NewAccessToken = z.infer<typeof newAccessTokenSchema>;

export const accessTokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(tokenScopes)),
  createdAt: z.string(),
  /** Null for a token that does not expire. */
  expiresAt: z.nullable(z.string()),
  /** To within five minutes. */
  lastUsedAt: z.nullable(z.string()),
});
export type AccessToken = z.infer<typeof accessTokenSchema>;

/** The account's own token by which a program acted; its name is null once it has ended. */
export const actingTokenSchema = z.object({ name: z.nullable(z.string()) });
export type ActingToken = z.infer<typeof actingTokenSchema>;

/** `token` is shown in this answer only. */
export const madeAccessTokenSchema = z.extend(accessTokenSchema, { token: z.string() });
export type MadeAccessToken = z.infer<typeof madeAccessTokenSchema>;

export const accessTokensCall = {
  method: "GET",
  path: "/api/tokens",
  answer: z.array(accessTokenSchema),
} as const satisfies Call;

export const makeAccessTokenCall = {
  method: "POST",
  path: "/api/tokens",
  body: newAccessTokenSchema,
  answer: madeAccessTokenSchema,
} as const satisfies Call;

export const endAccessTokenCall = {
  method: "DELETE",
  path: "/api/tokens/:id",
  answer: done("ended"),
} as const satisfies Call;
