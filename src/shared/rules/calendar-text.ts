import type { Locale } from "../locale.ts";

const ENGLISH_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `2026-11-14` as `14-11-2026`; in English the month has its name, because there 03-04 is the 4th of March: `14-Nov-2026`. */
export function calendarText(isoDay: string, locale: Locale): string {
  const [year = "", month = "", day = ""] = isoDay.split("-");
  const shown = locale === "en-US" ? (ENGLISH_MONTHS[Number(month) - 1] ?? month) : month;
  return `${day}-${shown}-${year}`;
}
