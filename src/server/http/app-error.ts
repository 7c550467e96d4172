import type { ContentfulStatusCode } from "hono/utils/http-status";

/** One wrong field of a request: `path` is the field's name, `message` already in the caller's language. */
export interface Violation {
  path: string;
  code: string;
  message: string;
}

/**
 * A violation as a failure names it. Without a `message` it is told by its code, if that is a key of `validation-messages.ts`, else
 * that the value is not valid.
 */
export type WrongField = Omit<Violation, "message"> & Partial<Pick<Violation, "message">>;

/** What a caller is told about a failure. `text` is a message descriptor of the catalogues in `locales`. */
export interface ErrorKind {
  status: ContentfulStatusCode;
  /** Stable, e.g. `study.not_found`. Clients may rely on it. */
  code: string;
  text: { id: string; message: string };
}

export interface AppErrorOptions {
  /** Values for the placeholders of the text. */
  values?: Record<string, string | number>;
  violations?: WrongField[];
  /** For the log only; never a name, a UID or a token. */
  detail?: string;
  cause?: unknown;
  retryAfterSeconds?: number;
  /** More headers of the answer, e.g. `Content-Range` of 416 (RFC 9110 §15.5.17). */
  headers?: Record<string, string>;
  /** More members of the problem document, e.g. `ids` of `study.ambiguous`. */
  members?: Record<string, unknown>;
}

/** Ends a request that can't be carried out. `http/problem.ts` turns it into a problem document. */
export class AppError extends Error {
  override name = "AppError";
  constructor(
    readonly kind: ErrorKind,
    readonly options: AppErrorOptions = {},
  ) {
    super(options.detail ?? kind.code, { cause: options.cause });
  }
}
