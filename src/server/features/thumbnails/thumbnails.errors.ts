import type { ErrorKind } from "../../http/app-error.ts";

export const noThumbnail: ErrorKind = {
  status: 404,
  code: "thumbnail.none",
  text: /*i18n*/ { id: "error.thumbnail.none", message: "There is no picture of this." },
};
