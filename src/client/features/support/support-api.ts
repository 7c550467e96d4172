import type { SupportMessage } from "../../../shared/api/support.ts";
import { callApi } from "../../api.ts";

export const supportApi = {
  /** The form stands for itself: it goes without the session's token. */
  send({ image, ...fields }: SupportMessage & { image: File | undefined }) {
    const body = new FormData();
    for (const [name, text] of Object.entries(fields)) body.set(name, text);
    if (image) body.set("image", image);
    return callApi("/api/support/send", { method: "POST", body, anonymous: true });
  },
};
