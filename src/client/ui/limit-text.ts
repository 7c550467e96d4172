import type { I18n } from "@lingui/core";

const MEBIBYTE = 1024 ** 2;
const GIBIBYTE = 1024 ** 3;

/** A limit (a power of two in bytes) or a part of one: `2 GB`, `12,5 GB`, `340 MB`. */
export function limitText(i18n: I18n, bytes: number): string {
  if (bytes < GIBIBYTE) return `${i18n.number(Math.ceil(bytes / MEBIBYTE), { maximumFractionDigits: 0 })} MB`;
  return `${i18n.number(bytes / GIBIBYTE, { maximumFractionDigits: 1 })} GB`;
}
