import { type SupportMessage, supportCall } from "../../../shared/api/support.ts";
import { callApi, toForm } from "../../api.ts";

export const supportApi = {
  /** The form stands for itself: it goes without the session's token. */
  send: ({ image, ...fields }: SupportMessage & { image: File | undefined }) =>
    callApi(supportCall, { form: toForm(supportCall, { fields, file: image }), anonymous: true }),
};
