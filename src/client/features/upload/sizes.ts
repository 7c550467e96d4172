import type { I18n } from "@lingui/core";

const MEGABYTE = 1_000_000;
const GIBIBYTE = 1024 ** 3;

/** Bytes as people read them: `512,4 MB`. */
export function megabytes(i18n: I18n, bytes: number): string {
  return `${megabyteNumber(i18n, bytes)} MB`;
}

export function megabyteNumber(i18n: I18n, bytes: number): string {
  return i18n.number(bytes / MEGABYTE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** A limit, which is a power of two: `2 GB`. */
export function limitText(i18n: I18n, bytes: number): string {
  if (bytes < GIBIBYTE) return `${i18n.number(bytes / 1024 ** 2, { maximumFractionDigits: 0 })} MB`;
  return `${i18n.number(bytes / GIBIBYTE, { maximumFractionDigits: 1 })} GB`;
}
