import { zValidator } from "@hono/zod-validator";
import type { Context, ValidationTargets } from "hono";
import { resolver, uniqueSymbol } from "hono-openapi";
import * as z from "zod/mini";
import { type $ZodType, type output, safeParse } from "zod/v4/core";
import type { Locale } from "../../shared/locale.ts";
import { isValidationMessage, validationMessages } from "../../shared/validation-messages.ts";
import { AppError, type ErrorKind, type Violation } from "./app-error.ts";
import { unsupportedMediaType, validationFailed } from "./http.errors.ts";
import type { HttpEnv } from "./http-context.ts";
import { bufferBody } from "./json-body.ts";
import { translate } from "./translate.ts";

/**
 * Validates one part of a request against a shared schema. An invalid one is a 400 with its violations. The API's document
 * takes the schema from here, so it describes what is validated.
 */
export function validate<Target extends keyof ValidationTargets, Schema extends $ZodType>(
  target: Target,
  schema: Schema,
  invalid: ErrorKind = validationFailed,
) {
  const validator = zValidator(target, schema, (result, c) => {
    // The validator treats a body of another type as `{}`, so this says what is wrong instead.
    if (target === "json" && !isJson(c.req.header("content-type"))) throw new AppError(unsupportedMediaType);
    const locale = (c as Context<HttpEnv>).get("locale");
    if (!result.success) {
      const violations = violationsOf(result.error, locale);
      throw new AppError(invalid, invalid === validationFailed ? { violations } : {});
    }
    assertKeepable(result.data, locale);
  });
  const handler: typeof validator = async (c, next) => {
    if (target === "json" && isJson(c.req.header("content-type"))) await bufferBody(c as Context<HttpEnv>);
    return await validator(c, next);
  };
  return Object.assign(handler, { [uniqueSymbol]: { target, ...resolver(schema) } });
}

const idSchema = z.object({ id: z.string().check(z.uuid()) });

/** Validates the `id` of a path; one that names nothing is as unknown as any other. */
export function validateId(unknown: ErrorKind) {
  return validate("param", idSchema, unknown);
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/([\w.-]+\+)?json\b/i.test(contentType ?? "");
}

/**
 * Checks a form or a decoded value as `validate` checks a body.
 * @throws {AppError} 400 with violations
 */
export function parseWith<Schema extends $ZodType>(
  schema: Schema,
  value: unknown,
  locale: Locale,
): output<Schema> {
  const parsed = safeParse(schema, value);
  if (!parsed.success) {
    throw new AppError(validationFailed, { violations: violationsOf(parsed.error, locale) });
  }
  assertKeepable(parsed.data, locale);
  return parsed.data;
}

/** PostgreSQL stores no U+0000, and UTF-8 has no lone surrogates, so text with either can't be kept or searched for. */
export function isKeepable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** @throws {AppError} 400 with a violation for each text that can't be stored */
function assertKeepable(value: unknown, locale: Locale): void {
  const paths = unkeepablePaths(value, []);
  if (paths.length === 0) return;
  const issues = paths.map((path) => ({ path, message: "validation.invalid" }));
  throw new AppError(validationFailed, { violations: violationsOf({ issues }, locale) });
}

/** `value` has passed a schema, which bounds its depth. */
function unkeepablePaths(value: unknown, path: string[]): string[][] {
  if (typeof value === "string") return isKeepable(value) ? [] : [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => unkeepablePaths(inner, [...path, key]));
}

interface Issues {
  issues: readonly { path: readonly PropertyKey[]; message: string }[];
}

/**
 * A shared schema's message is a key of `validation-messages.ts`. Any other message becomes a general text. Several checks may
 * find the same fault, such as that a list is no text and too short; it is told once.
 */
export function violationsOf(error: Issues, locale: Locale): Violation[] {
  const violations = new Map<string, Violation>();
  for (const issue of error.issues.slice(0, 50)) {
    const code = isValidationMessage(issue.message) ? issue.message : "validation.invalid";
    const path = issue.path.map(String).join(".");
    violations.set(`${code} ${path}`, { path, code, message: translate(locale, validationMessages[code]) });
  }
  return [...violations.values()];
}
