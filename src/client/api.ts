import { t } from "@lingui/core/macro";
import * as z from "zod/mini";
import { type Login, type TwoFactorPending, twoFactorPendingSchema } from "../shared/api/auth.ts";
import { type Problem, problemSchema } from "../shared/api/problem.ts";
import type { Register } from "../shared/api/register.ts";
import {
  type CurrentUser,
  currentUserSchema,
  type SignedInUser,
  signedInUserSchema,
} from "../shared/api/users.ts";
import { activeLocale } from "./i18n.ts";
import { noteServerTime } from "./server-clock.ts";
import { currentToken, endSession } from "./session.ts";

/** A call that failed: `status` 0 means that the server was not reached. `message` may be shown as it is. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly violations: NonNullable<Problem["violations"]> = [],
    readonly requestId?: string,
  ) {
    super(message);
  }
}

export interface ApiRequest {
  method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Sent as JSON; a FormData goes as it is. */
  body?: unknown;
  signal?: AbortSignal;
  /** Goes without the session's token. */
  anonymous?: boolean;
}

const signInAnswerSchema = z.union([signedInUserSchema, twoFactorPendingSchema]);

/**
 * The one place from which the client calls the server: bearer token, language, failures as `ApiError`.
 * A 401 to a call that carried the session's token ends the session.
 */
export async function callApi(path: string, request: ApiRequest = {}): Promise<Response> {
  const token = request.anonymous ? undefined : currentToken();
  const isForm = request.body instanceof FormData;
  const response = await reach(path, {
    method: request.method ?? "GET",
    headers: {
      "Accept-Language": activeLocale(),
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(request.body !== undefined && !isForm && { "Content-Type": "application/json" }),
    },
    body: isForm ? (request.body as FormData) : JSON.stringify(request.body),
    signal: request.signal,
  });
  noteServerTime(response);
  if (response.ok) return response;
  // A session that was renewed meanwhile does not end with the call that still carried the old token.
  if (response.status === 401 && token && token === currentToken()) endSession("expired");
  throw await apiError(response);
}

/** As `callApi`, and the answer as the schema says it is. */
export async function callJson<Schema extends z.ZodMiniType>(
  schema: Schema,
  path: string,
  request?: ApiRequest,
): Promise<z.infer<Schema>> {
  const response = await callApi(path, request);
  return schema.parse(await response.json());
}

export const api = {
  login: (body: Login): Promise<SignedInUser | TwoFactorPending> =>
    callJson(signInAnswerSchema, "/api/auth/login", { method: "POST", body }),
  register: (body: Register) => callApi("/api/auth/register", { method: "POST", body }),
  logout: () => callApi("/api/auth/logout", { method: "POST", body: {} }),
  currentUser: (signal?: AbortSignal): Promise<CurrentUser> =>
    callJson(currentUserSchema, "/api/auth/me", { signal }),
  examCount: (signal?: AbortSignal) =>
    callJson(z.object({ count: z.number() }), "/api/users/exam-count", { signal }),
};

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, credentials: "same-origin" });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = t({
      id: "api.unreachable",
      message: "The server could not be reached. Check your connection.",
    });
    throw new ApiError(0, "network", message);
  }
}

/** Reads a failed answer; one that is no problem document becomes `{status}: {body or status text}`. */
export async function apiError(response: Response): Promise<ApiError> {
  const body = await response.text();
  const problem = problemSchema.safeParse(parseProblem(response, body));
  if (problem.success) {
    const { code, message, violations, requestId } = problem.data;
    return new ApiError(response.status, code, message, violations, requestId);
  }
  const text = body.slice(0, 500) || response.statusText;
  return new ApiError(response.status, "unknown", `${response.status}: ${text}`);
}

function parseProblem(response: Response, body: string): unknown {
  if (!/\bjson\b/.test(response.headers.get("content-type") ?? "")) return undefined;
  try {
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
