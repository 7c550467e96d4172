import type { ErrorKind } from "../../http/app-error.ts";

export const tooManyInstances: ErrorKind = {
  status: 413,
  code: "store.too_many",
  text: /*i18n*/ {
    id: "error.store.too_many",
    message: "A request brings at most {maximum} instances. Send the rest in another one.",
  },
};
export const tooManyPictures: ErrorKind = {
  status: 413,
  code: "rendered.too_many",
  text: /*i18n*/ {
    id: "error.rendered.too_many",
    message: "One answer has at most {maximum} pictures. Ask for single series or images.",
  },
};
export const nothingToStore: ErrorKind = {
  status: 400,
  code: "store.empty",
  text: /*i18n*/ { id: "error.store.empty", message: "The request brings no instance." },
};
