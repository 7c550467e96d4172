import { zValidator } from "@hono/zod-validator";
import type { Context, ValidationTargets } from "hono";
import type { $ZodType } from "zod/v4/core";
import type { Locale } from "../../shared/locale.ts";
import { isValidationMessage, validationMessages } from "../../shared/validation-messages.ts";
import { AppError, type Violation } from "./app-error.ts";
import { unsupportedMediaType, validationFailed } from "./http.errors.ts";
import type { HttpEnv } from "./http-context.ts";
import { translate } from "./translate.ts";

/** Validates one part of a request against a shared schema; a bad one is a 400 with its violations. */
export function validate<Target extends keyof ValidationTargets, Schema extends $ZodType>(
  target: Target,
  schema: Schema,
) {
  return zValidator(target, schema, (result, c) => {
    // The validator takes a body of another type for `{}`: say what is wrong instead.
    const type = c.req.header("content-type") ?? "";
    if (target === "json" && !/^application\/([\w.-]+\+)?json\b/i.test(type)) {
      throw new AppError(unsupportedMediaType);
    }
    if (!result.success) {
      throw new AppError(validationFailed, {
        violations: violationsOf(result.error, (c as Context<HttpEnv>).get("locale")),
      });
    }
  });
}

interface Issues {
  issues: readonly { path: readonly PropertyKey[]; message: string }[];
}

/** A shared schema's message is a key of `validation-messages.ts`; any other is put in general words. */
export function violationsOf(error: Issues, locale: Locale): Violation[] {
  return error.issues.slice(0, 50).map((issue) => {
    const code = isValidationMessage(issue.message) ? issue.message : "validation.invalid";
    return {
      path: issue.path.map(String).join("."),
      code,
      message: translate(locale, validationMessages[code]),
    };
  });
}
