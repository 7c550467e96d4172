import { trimPadding } from "./reading/padding.ts";

/**
 * Returns a DA value as `YYYY-MM-DD`, or null if it is not a day of the calendar. Accepts `YYYYMMDD` and ACR-NEMA's
 * `YYYY.MM.DD`.
 */
export function isoDate(da: string): string | null {
  const match = /^(\d{4})(\.?)(\d\d)\2(\d\d)$/.exec(trimPadding(da));
  if (!match) return null;
  const [, year = "", , month = "", day = ""] = match;
  return isDayOfCalendar(Number(year), Number(month), Number(day)) ? `${year}-${month}-${day}` : null;
}

/**
 * Returns a TM value as `HH:MM` or `HH:MM:SS`, or null if it is not a time of day. Fractions are dropped, an hour alone
 * means the full hour, and a leap second becomes the second before it. Accepts ACR-NEMA's `HH:MM:SS` too.
 */
export function isoTime(tm: string): string | null {
  const match = /^(\d\d)(?:(:?)(\d\d)(?:\2(\d\d)(?:\.\d{1,6})?)?)?$/.exec(trimPadding(tm));
  if (!match) return null;
  const [, hour = "", , minute = "00", second] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second ?? 0) > 60) return null;
  if (second === undefined) return `${hour}:${minute}`;
  return `${hour}:${minute}:${second === "60" ? "59" : second}`;
}

function isDayOfCalendar(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= (days[month - 1] ?? 0);
}
