import type { ErrorKind } from "../../http/app-error.ts";

export const mediaTooLarge: ErrorKind = {
  status: 422,
  code: "media.too_large",
  text: /*i18n*/ {
    id: "error.media.too_large",
    message: "This exam has more images than one disc can list. Download it without the directory.",
  },
};
