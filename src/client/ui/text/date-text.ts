import { isoDate, isoTime } from "../../../shared/dicom/date.ts";
import type { Locale } from "../../../shared/locale.ts";

/** The value of a date field: `YYYY-MM-DD`, or `YYYY-MM-DDTHH:MM` with a time. */
export type DateKind = "date" | "datetime";

const ISO = { date: /^(\d{4})-(\d\d)-(\d\d)$/, datetime: /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)$/ };
/** Any separator is accepted, or none if every part has all its digits. */
const WRITTEN_DATE = /^(?:(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})|(\d\d)(\d\d)(\d{4}))/;
const WRITTEN_TIME = /^[\s,]+(\d{1,2})(?::|h)?(\d\d)$|^(\d\d)(\d\d)$/;

/** A day as a field writes it: `14-03-2026` as in the lists, or `03/14/2026` in en-US. */
export function formatDate(iso: string, locale: Locale): string | undefined {
  const kind = iso.includes("T") ? "datetime" : "date";
  const [, year = "", month = "", day = "", hour, minute] = ISO[kind].exec(iso) ?? [];
  if (!isDate(iso, kind)) return undefined;
  const date = locale === "en-US" ? `${month}/${day}/${year}` : `${day}-${month}-${year}`;
  return hour === undefined ? date : `${date} ${hour}:${minute}`;
}

/** Parses a day as people write it; undefined if it is not a day of the calendar. */
export function parseDate(text: string, kind: DateKind, locale: Locale): string | undefined {
  const written = readDay(text, locale);
  if (!written) return undefined;
  const { date, rest } = written;
  if (date === null || kind === "date") return date === null || rest !== "" ? undefined : date;
  const [isTime, h1, m1, h2, m2] = WRITTEN_TIME.exec(rest) ?? [];
  const time = isTime ? isoTime(`${(h1 ?? h2 ?? "").padStart(2, "0")}${m1 ?? m2}`) : null;
  return time === null ? undefined : `${date}T${time}`;
}

/** Whether the text is written as a day that the calendar does not have, such as 31 February. */
export function namesNoDay(text: string, locale: Locale): boolean {
  return readDay(text, locale)?.date === null;
}

/** Reads the day that a text begins with, null if the calendar does not have it; undefined if it begins with none. */
function readDay(text: string, locale: Locale): { date: string | null; rest: string } | undefined {
  const written = WRITTEN_DATE.exec(text.trim());
  if (!written) return undefined;
  const [whole, a1, b1, y1, a2, b2, y2] = written;
  const [first = "", second = "", year = ""] = [a1 ?? a2, b1 ?? b2, y1 ?? y2];
  const [day, month] = locale === "en-US" ? [second, first] : [first, second];
  const date = isoDate(`${year}${month.padStart(2, "0")}${day.padStart(2, "0")}`);
  return { date, rest: text.trim().slice(whole.length) };
}

/** Where a separator follows, by the number of characters before it. */
const SEPARATED = new Map([
  [2, "date"],
  [5, "date"],
  [10, " "],
  [13, ":"],
]);

/**
 * What a field shows after a character was typed: separators come by themselves, because a phone's number keys have none. Text that was
 * shortened or pasted stays as it is.
 */
export function separateWhileTyping(typed: string, before: string, kind: DateKind, locale: Locale): string {
  const isTyped = typed.length === before.length + 1 && typed.startsWith(before);
  // Whoever types the separator too wants one.
  if (isTyped && /\d[-/ :][-/. :]$/.test(typed)) return before;
  if (!isTyped || !/^\d\d([-/]\d\d([-/]\d{4}( \d\d)?)?)?$/.test(typed)) return typed;
  if (typed.length >= 10 && kind === "date") return typed;
  const separator = SEPARATED.get(typed.length) ?? "";
  return typed + (separator === "date" ? (locale === "en-US" ? "/" : "-") : separator);
}

/** Whether a date field's value is empty or a day. A field keeps unreadable input as it was typed. */
export function isDateOrEmpty(value: string, kind: DateKind): boolean {
  return value === "" || isDate(value, kind);
}

function isDate(value: string, kind: DateKind): boolean {
  const [, year = "", month = "", day = "", hour, minute] = ISO[kind].exec(value) ?? [];
  if (isoDate(`${year}${month}${day}`) === null) return false;
  return kind === "date" || isoTime(`${hour}${minute}`) !== null;
}
