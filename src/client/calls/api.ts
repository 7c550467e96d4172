import { t } from "@lingui/core/macro";
import * as z from "zod/mini";
import {
  currentUserCall,
  type Login,
  loginCall,
  logoutCall,
  type TwoFactorPending,
} from "../../shared/api/auth.ts";
import type { Call, CallInput } from "../../shared/api/call.ts";
import { type Problem, problemSchema } from "../../shared/api/problem.ts";
import { type CurrentUser, examCountCall, type SignedInUser } from "../../shared/api/users.ts";
import { activeLocale } from "../i18n.ts";
import { parseJson } from "../runtime/parse-json.ts";
import { currentToken, endSessionIfRefused } from "../session.ts";
import { noteServerTime } from "./server-clock.ts";

/** A call that failed: `status` is 0 if the server was not reached. `message` may be shown as it is. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly violations: NonNullable<Problem["violations"]> = [],
    readonly requestId?: string,
    /** The whole problem: some say more than these. */
    readonly problem?: unknown,
    /** The pause that the server asks for. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

const OUTAGES = [0, 502, 503, 504];

/** Whether the server was not reached, or is not ready. */
export function isOutage(error: Error | null): boolean {
  return error instanceof ApiError && OUTAGES.includes(error.status) && error.code !== "cut_off";
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** The media type that is asked for, of a call that has several. */
  accept?: string;
  /** Sends the call without the session's token. */
  anonymous?: boolean;
  /** Sent instead of a JSON body. */
  form?: FormData;
  headers?: Record<string, string>;
}

/** The input of any call. */
interface AnyInput extends CallOptions {
  params?: Record<string, string>;
  query?: object;
  body?: unknown;
}

/**
 * The one place from which the client calls the server: bearer token, language, failures as `ApiError`.
 * A 401 to a call that carried the session's token ends the session.
 */
export async function callApi<C extends Call>(
  call: C,
  request: CallInput<C> & CallOptions,
): Promise<Response> {
  const { params, query, body, form, signal, anonymous, accept, headers }: AnyInput = request;
  const token = anonymous ? undefined : currentToken();
  const response = await reach(addressOf(call, params, query), {
    method: call.method,
    headers: {
      "Accept-Language": activeLocale(),
      ...(accept && { Accept: accept }),
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    body: form ?? JSON.stringify(body),
    signal,
  });
  noteServerTime(response);
  if (response.ok) return response;
  endSessionIfRefused(response.status, token);
  throw await apiError(response);
}

/** Like `callApi`, and parses the answer with the call's schema. */
export async function callJson<C extends Call & { answer: z.ZodMiniType }>(
  call: C,
  request: CallInput<C> & CallOptions,
): Promise<z.infer<C["answer"]>> {
  return await parseAnswer<C["answer"]>(call.answer, await callApi(call, request));
}

/** Like `callJson`, of a list that comes by pages: the rows of this one, and how many are on all. */
export async function callPage<Row, C extends Call & { answer: z.ZodMiniType<Row[]> }>(
  call: C,
  request: CallInput<C> & CallOptions,
): Promise<Page<Row>> {
  const response = await callApi(call, request);
  const rows = await parseAnswer(call.answer, response);
  return { rows, total: Number(response.headers.get("x-total-count") ?? rows.length) };
}

export interface Page<Row> {
  rows: Row[];
  total: number;
}

/**
 * The content of an answer. One that breaks off, or is not the server's JSON, such as a network's sign-in page, fails as if the server
 * was not reached.
 */
export async function readAnswer<Content>(reading: Promise<Content>, failed = unreachable): Promise<Content> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) throw failed();
    throw error;
  }
}

/** The content of a JSON answer. @throws {ApiError} also if it does not fit the schema, such as one of another release */
export async function parseAnswer<Schema extends z.ZodMiniType>(
  schema: Schema,
  response: Response,
): Promise<z.infer<Schema>> {
  const answer = z.safeParse(schema, await readAnswer(response.json()));
  if (answer.success) return answer.data;
  const failure = unreadable(response);
  failure.cause = answer.error;
  throw failure;
}

/** The address of a call, for what the browser reads by itself. */
export function addressOf(
  { path }: Pick<Call, "path">,
  params: Record<string, string> = {},
  query: object = {},
): string {
  const filled = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/** The answer of a call; null if it failed with 404. */
export async function nullIfMissing<Answer>(call: Promise<Answer>): Promise<Answer | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

export const api = {
  login: (body: Login): Promise<SignedInUser | TwoFactorPending> => callJson(loginCall, { body }),
  logout: () => callApi(logoutCall, {}),
  currentUser: (signal?: AbortSignal): Promise<CurrentUser> => callJson(currentUserCall, { signal }),
  examCount: (signal?: AbortSignal) => callJson(examCountCall, { signal }),
};

function reach(path: string, init: RequestInit): Promise<Response> {
  return readAnswer(fetch(path, { ...init, credentials: "same-origin" }));
}

/** The failure of a call that did not reach the server. */
export function unreachable(): ApiError {
  const message = t({
    id: "api.unreachable",
    message: "The server could not be reached. Check your connection.",
  });
  return new ApiError(0, "network", message);
}

/** The failure of a call whose answer this page does not understand. */
function unreadable({ status, headers }: Response): ApiError {
  const message = t({
    id: "api.unreadable",
    message: "The server's answer can't be read here. Try again, or reload the page.",
  });
  return new ApiError(status, "unreadable", message, [], headers.get("x-request-id") ?? undefined);
}

/** Reads a failed answer; one that is not a problem document becomes `{status}: {body or status text}`. */
export async function apiError(response: Response): Promise<ApiError> {
  const body = await readAnswer(response.text());
  const parsed = parseProblem(response, body);
  const problem = problemSchema.safeParse(parsed);
  const { status } = response;
  const retryAfterMs = pauseOf(response);
  if (problem.success) {
    const { code, message, violations, requestId } = problem.data;
    return new ApiError(status, code, message, violations, requestId, parsed, retryAfterMs);
  }
  const message = `${status}: ${plainText(response, body)}`;
  return new ApiError(status, "unknown", message, [], undefined, undefined, retryAfterMs);
}

const MAX_PAUSE_S = 3600;

/** The seconds of a `Retry-After`; a date in it is for caches and proxies of long outages, and is not waited for. */
function pauseOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get("retry-after"));
  return seconds > 0 ? Math.min(seconds, MAX_PAUSE_S) * 1000 : undefined;
}

/** A proxy's page is not for reading here, and over HTTP/2 there is no status text. */
function plainText({ headers, status, statusText }: Response, body: string): string {
  const isPage = /\bhtml\b/.test(headers.get("content-type") ?? "");
  const text = isPage ? "" : body.slice(0, 500) || statusText;
  if (text) return text;
  // A proxy in front of the server may take less than the server does.
  if (status === 413) return t({ id: "error.body.too_large", message: "What was sent is too large." });
  return t({ id: "api.noAnswer", message: "The server is not answering. Try again in a moment." });
}

function parseProblem(response: Response, body: string): unknown {
  return /\bjson\b/.test(response.headers.get("content-type") ?? "") ? parseJson(body) : undefined;
}
