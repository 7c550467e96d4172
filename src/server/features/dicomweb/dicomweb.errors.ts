import type { ErrorKind } from "../../http/app-error.ts";

export const seriesTooLarge: ErrorKind = {
  status: 422,
  code: "series.too_large",
  text: /*i18n*/ {
    id: "error.series.too_large",
    message: "This series is too large to be opened here. Download the exam to see it in another program.",
  },
};
export const notDrawable: ErrorKind = {
  status: 422,
  code: "rendered.none",
  text: /*i18n*/ { id: "error.rendered.none", message: "This image can't be drawn here." },
};
export const tooManyReads: ErrorKind = {
  status: 503,
  code: "reading.busy",
  text: /*i18n*/ {
    id: "error.reading.busy",
    message: "Too much is being opened at once. Try again shortly.",
  },
};
export const searchTooBroad: ErrorKind = {
  status: 413,
  code: "search.too_broad",
  text: /*i18n*/ {
    id: "error.search.too_broad",
    message: "This search would read too many series. Name the study or the series, or narrow it otherwise.",
  },
};
