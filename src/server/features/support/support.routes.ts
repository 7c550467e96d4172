import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { maxSupportImageBytes, supportMessageSchema } from "../../../shared/api/support.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import type { Guard } from "../../http/guard.ts";
import { unsupportedMediaType } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { parseWith } from "../../http/validate.ts";
import { sendSupportMessage } from "./send-support-message.ts";

/** The image may exceed its own limit by a little, so that the answer can say so. */
const MAX_FORM_BYTES = maxSupportImageBytes + 1024 * 1024;

export function createSupportRoutes(deps: Deps, guard: Guard) {
  return new Hono<HttpEnv>().post(
    "/support/send",
    guard("public"),
    bodyLimit({ maxSize: MAX_FORM_BYTES }),
    async (c) => {
      if (!/^multipart\/form-data\b/i.test(c.req.header("content-type") ?? "")) {
        throw new AppError(unsupportedMediaType);
      }
      const { image, ...fields } = await c.req.parseBody();
      const locale = c.get("locale");
      const message = parseWith(supportMessageSchema, fields, locale);
      const bytes = image instanceof File && image.size > 0 ? await image.bytes() : undefined;
      await sendSupportMessage(deps, { ...message, image: bytes, locale }, originOf(c));
      return c.json({ sent: true }, 201);
    },
  );
}
