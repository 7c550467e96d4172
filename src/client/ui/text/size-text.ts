import type { I18n } from "@lingui/core";

const MEGABYTE = 1_000_000;

/** Bytes as people read them: `512,4 MB`, or `15 kB` below a megabyte. */
export function sizeText(i18n: I18n, bytes: number): string {
  return `${sizeNumber(i18n, bytes, bytes)} ${bytes < MEGABYTE ? "kB" : "MB"}`;
}

/** The number alone, in the unit of the whole. */
export function sizeNumber(i18n: I18n, bytes: number, wholeBytes: number): string {
  if (wholeBytes < MEGABYTE) return i18n.number(Math.ceil(bytes / 1000));
  return i18n.number(bytes / MEGABYTE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}
