import type { Context, ErrorHandler, NotFoundHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Problem } from "../../shared/api/problem.ts";
import type { Locale } from "../../shared/locale.ts";
import { isValidationMessage, validationMessages } from "../../shared/validation-messages.ts";
import { InstanceDamaged } from "../archive/instance-reader.ts";
import { ManifestError } from "../archive/manifest.errors.ts";
import { isDatabaseUnavailable } from "../db/database.errors.ts";
import { describeError, type Logger } from "../runtime/log.ts";
import { DiskFull, isOutOfSpace, isReadOnlyDisk } from "../storage/disk/disk-room.ts";
import { ObjectNotFound, StoreRefuses, StoreUnavailable } from "../storage/object-store.ts";
import { AppError, type Violation, type WrongField } from "./app-error.ts";
import {
  archiveDamaged,
  databaseUnavailable,
  internal,
  storageFull,
  storageReadOnly,
  storeUnavailable,
  validationFailed,
} from "./http.errors.ts";
import type { HttpEnv } from "./http-context.ts";
import { translate } from "./translate.ts";
import { unmatched } from "./unmatched.ts";

/** How a failure is written down: as a problem document, or as another standard has it. */
export interface ProblemForm {
  type: string;
  bodyOf(problem: Problem): unknown;
}

/** When to come again to what is away for nobody knows how long. */
const LATER_SECONDS = 60;
const MAY_PASS: ReadonlySet<number> = new Set([503, 507]);

const plain: ProblemForm = { type: "application/problem+json", bodyOf: (problem) => problem };

/** The only place that turns a failure into an answer: `application/problem+json` in the caller's language. */
export function createErrorHandler(log: Logger, form: ProblemForm = plain): ErrorHandler<HttpEnv> {
  return (error, c) => {
    const failure = asAppError(error);
    if (failure.kind.status >= 500 && !isAskedToWait(failure)) {
      log.error("request.failed", {
        requestId: c.get("requestId"),
        problem: failure.kind.code,
        ...describeError(error),
      });
    }
    return problemResponse(c, failure, form);
  };
}

/** Whether nothing failed, and the caller only has to come again: the access log says as much. */
function isAskedToWait({ kind, options }: AppError): boolean {
  return kind.status === 503 && options.retryAfterSeconds !== undefined && options.cause === undefined;
}

export const notFoundHandler: NotFoundHandler<HttpEnv> = (c) => problemResponse(c, unmatched(c));

function problemResponse(c: Context<HttpEnv>, failure: AppError, form = plain): Response {
  const { kind, options } = failure;
  const body = form.bodyOf(problemOf(c.get("locale") ?? "pt-BR", failure, c.get("requestId") ?? ""));
  c.header("Content-Type", form.type);
  c.header("Cache-Control", "no-store");
  if (kind.status === 401) c.header("WWW-Authenticate", "Bearer");
  for (const [name, value] of Object.entries(options.headers ?? {})) c.header(name, value);
  const retryAfterSeconds =
    options.retryAfterSeconds ?? (MAY_PASS.has(kind.status) ? LATER_SECONDS : undefined);
  if (retryAfterSeconds !== undefined) c.header("Retry-After", String(retryAfterSeconds));
  return c.body(JSON.stringify(body), kind.status);
}

/** A failure as its reader is told. */
export function problemOf(locale: Locale, { kind, options }: AppError, requestId: string): Problem {
  const message = translate(locale, kind.text, options.values);
  return {
    type: "about:blank",
    title: message,
    status: kind.status,
    code: kind.code,
    message,
    requestId,
    ...(options.violations && { violations: options.violations.map((field) => tellWrong(locale, field)) }),
    ...options.members,
  };
}

function tellWrong(locale: Locale, { path, code, message }: WrongField): Violation {
  const text = validationMessages[isValidationMessage(code) ? code : "validation.invalid"];
  return { path, code, message: message ?? translate(locale, text) };
}

function asAppError(error: Error): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof HTTPException && error.status < 500) {
    return new AppError({ ...validationFailed, status: error.status }, { cause: error });
  }
  if (isDatabaseUnavailable(error)) {
    return new AppError(databaseUnavailable, { cause: error, retryAfterSeconds: 10 });
  }
  const refusal = error instanceof StoreRefuses ? error.why : undefined;
  if (refusal === "read_only" || isReadOnlyDisk(error))
    return new AppError(storageReadOnly, { cause: error, retryAfterSeconds: 60 });
  if (refusal === "full" || error instanceof DiskFull || isOutOfSpace(error))
    return new AppError(storageFull, { cause: error });
  if (error instanceof StoreUnavailable || error instanceof ObjectNotFound) {
    return new AppError(storeUnavailable, { cause: error, retryAfterSeconds: 10 });
  }
  if (error instanceof InstanceDamaged || error instanceof ManifestError) {
    return new AppError(archiveDamaged, { cause: error });
  }
  return new AppError(internal, { cause: error });
}
