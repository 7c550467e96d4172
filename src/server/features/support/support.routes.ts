import { Hono } from "hono";
import { maxSupportImageBytes, supportCall } from "../../../shared/api/support.ts";
import type { Deps } from "../../deps.ts";
import { receiveForm } from "../../documents/receive-form.ts";
import { AppError } from "../../http/app-error.ts";
import { describeIn } from "../../http/describe.ts";
import { bearerToken, type Guard } from "../../http/guard.ts";
import {
  bodyInterrupted,
  bodyTooLarge,
  furtherFileSent,
  tooManyRequests,
  tooManySenders,
  unsupportedMediaType,
} from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { idempotencyKeyOf, takesIdempotencyKey } from "../../http/idempotency-key.ts";
import { createSenderSlots } from "../../http/sender-slots.ts";
import { parseWith } from "../../http/validate.ts";
import { Turns } from "../../runtime/turns.ts";
import { visitorOf } from "../accounts/sign-in/browser-cookie.ts";
import { assertMaySend, sendSupportMessage } from "./send-support-message.ts";
import { supportKeyUsed } from "./support.errors.ts";

/** The body may exceed the image's limit by a little, so that the answer can say that the image is too large. */
const OVER_BYTES = 512 * 1024;
/** The limit of a message without an image. Such messages have their own slots. */
const MAX_TEXT_FORM_BYTES = 64 * 1024;
const MAX_FORM_BYTES = maxSupportImageBytes + 2 * OVER_BYTES;

const describe = describeIn("Support");
const image = {
  fileField: supportCall.file,
  maxFileBytes: maxSupportImageBytes + OVER_BYTES,
  tooLarge: bodyTooLarge,
};

/** Anyone may send. A body is received onto disk, in a slot, if its network may still send a message. */
export function createSupportRoutes(deps: Deps, guard: Guard) {
  const slots = {
    text: createSenderSlots({ perSender: 64, perProcess: 192 }),
    image: createSenderSlots({ perSender: 6, perProcess: 12 }),
  };
  const turns = new Turns();
  return new Hono<HttpEnv>().post(
    supportCall.path,
    guard("public"),
    describe(supportCall, {
      summary: "Write to the operator",
      status: 201,
      details: "Needs no session. The image is optional: a JPEG, PNG or GIF of at most 5 MB.",
      takes: takesIdempotencyKey,
      fileType: "image/*",
      isFileOptional: true,
      problems: [
        furtherFileSent,
        bodyInterrupted,
        bodyTooLarge,
        unsupportedMediaType,
        supportKeyUsed,
        tooManyRequests,
        tooManySenders,
      ],
    }),
    async (c) => {
      const idempotencyKey = idempotencyKeyOf(c);
      if (!/^multipart\/form-data\b/i.test(c.req.header("content-type") ?? "")) {
        throw new AppError(unsupportedMediaType);
      }
      const sizeBytes = Number(c.req.header("content-length") ?? MAX_FORM_BYTES);
      if (sizeBytes > MAX_FORM_BYTES) throw new AppError(bodyTooLarge);
      const [locale, visitor] = [c.get("locale"), visitorOf(c, deps.config)];
      const lane = sizeBytes <= MAX_TEXT_FORM_BYTES ? slots.text : slots.image;
      using slot = await lane.take(visitor.network);
      await assertMaySend(deps, visitor, idempotencyKey !== undefined);
      c.get("admitBody")();
      await using form = await receiveForm(deps, c.req.raw, slot, image);
      const message = parseWith(supportCall.form, form.fields, locale);
      await turns.run(async () => {
        const bytes = await form.file?.read();
        const token = bearerToken(c.req.header("authorization"));
        const sent = { ...message, image: bytes, locale, token, idempotencyKey };
        await sendSupportMessage(deps, sent, visitor);
      });
      return c.json({ sent: true }, 201);
    },
  );
}
