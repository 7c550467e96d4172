import { type SupportMessage, supportCall } from "../../../shared/api/support.ts";
import { callApi } from "../../calls/api.ts";
import { toForm } from "../../calls/file-calls.ts";
import { sendOnce } from "../../calls/send-once.ts";

export const supportApi = {
  /** The form works without a session, so it is sent without the token. */
  send: ({ image, ...fields }: SupportMessage & { image: File | undefined }) =>
    sendOnce(
      [supportCall.path, fields.userEmail, fields.userName, fields.subject, fields.message, image],
      (idempotencyKey) =>
        callApi(supportCall, {
          form: toForm(supportCall, { fields, file: image }),
          anonymous: true,
          headers: { "Idempotency-Key": idempotencyKey },
        }),
    ),
};
