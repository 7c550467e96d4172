import type { Context } from "hono";
import { AppError } from "./app-error.ts";
import { validationFailed } from "./http.errors.ts";
import type { HttpEnv } from "./http-context.ts";

const NAME = "Idempotency-Key";

/** What the API's document says of the header, for calls that take it. */
export const takesIdempotencyKey = {
  [`${NAME}?`]:
    "One for each upload, such as a UUID. The same upload sent again with its key, after an answer that did not arrive, is answered as the first and not stored again.",
};

/** The key by which a caller sends the same again after a lost answer; undefined if they gave none. @throws {AppError} 400 */
export function idempotencyKeyOf(c: Context<HttpEnv>): string | undefined {
  const key = c.req.header(NAME);
  if (key === undefined || /^[\x21-\x7e]{1,100}$/.test(key)) return key;
  throw new AppError(validationFailed, { violations: [{ path: NAME, code: "validation.invalid" }] });
}
