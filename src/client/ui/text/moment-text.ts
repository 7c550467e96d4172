import { calendarText as writeDay } from "../../../shared/rules/calendar-text.ts";
import { activeLocale } from "../../i18n.ts";

const twoDigits = (number: number) => String(number).padStart(2, "0");

/** The day of a moment in the reader's time zone, as the value of a date field: `2026-11-14`. */
export function localDay(moment: string | Date): string {
  const date = new Date(moment);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** The last second of a day in the reader's time zone, as ISO 8601 UTC. */
export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString();
}

/** As {@link writeDay}, in the reader's language. */
export function calendarText(isoDay: string): string {
  return writeDay(isoDay, activeLocale());
}

/** The day of a moment in the reader's time zone, as {@link calendarText} writes it. */
export function dayText(moment: string | Date): string {
  return calendarText(localDay(moment));
}

/** A moment in the reader's time zone, as `14-11-2026 09:05`, or `14-Nov-2026 09:05` in English. */
export function momentText(moment: string): string {
  const date = new Date(moment);
  return `${dayText(date)} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

/**
 * A moment in full: `14 de novembro de 2026 às 09:05`, or `November 14, 2026 at 09:05 AM`. Empty if there is no moment:
 * undefined, null, the word "null", or an unreadable date.
 */
export function longMomentText(moment: string | null | undefined, locale: string): string {
  if (!moment || moment === "null" || Number.isNaN(Date.parse(moment))) return "";
  return new Intl.DateTimeFormat(locale, {
    year: "numeric",
    month: "long",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  }).format(new Date(moment));
}
