import type { I18n } from "@lingui/core";

/** From here on numbers are grouped. Below, a phone's start is spared Intl's first formatter (some 100 ms). */
const GROUPED_FROM = 1_000;

/** A count: `37`, `2.000`. */
export function countText(i18n: I18n, count: number): string {
  return count < GROUPED_FROM ? String(count) : i18n.number(count);
}
