import type { I18n } from "@lingui/core";
import { GIB, MIB } from "../../../shared/units.ts";

/** A limit (a power of two in bytes) or a part of one: `2 GB`, `12,5 GB`, `340 MB`. */
export function limitText(i18n: I18n, bytes: number): string {
  if (bytes < GIB) return `${i18n.number(Math.ceil(bytes / MIB), { maximumFractionDigits: 0 })} MB`;
  return `${i18n.number(bytes / GIB, { maximumFractionDigits: 1 })} GB`;
}
