import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../shared/units.ts";
import type { Wanted } from "../dicomweb/qido/qido-match.ts";
import type { TimeRange } from "../exchange/changed-condition.repo.ts";

/** A DA has years of four digits. */
const [FIRST_DAY, LAST_DAY] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T00:00:00Z")];

/**
 * The days that a date with a prefix means; months and years are ranges of days, times of day make no difference (FHIR R4
 * §3.1.1.4.6 and §3.1.1.4.10). Undefined for what can't be read, and for several values, which would widen the search.
 */
export function dayRange([value = "", ...more]: string[]): Wanted | undefined {
  const [, prefix = "eq", year, month, day] =
    /^(eq|ge|le|gt|lt|sa|eb)?(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T.*)?)?)?$/.exec(value) ?? [];
  if (year === undefined || more.length > 0) return undefined;
  const first = dayOf(`${year}-${month ?? "01"}-${day ?? "01"}`);
  const last = dayOf(`${year}-${month ?? "12"}-${day ?? lastDayOf(Number(year), Number(month ?? 12))}`);
  if (first === undefined || last === undefined) return undefined;
  switch (prefix) {
    case "ge":
      return { kind: "range", from: da(first) };
    case "le":
      return { kind: "range", to: da(last) };
    case "gt":
    case "sa":
      return { kind: "range", from: da(last + DAY_MS) };
    case "lt":
    case "eb":
      return { kind: "range", to: da(first - DAY_MS) };
    default:
      return { kind: "range", from: da(first), to: da(last) };
  }
}

const TIME =
  /^(eq|ge|le|gt|lt|sa|eb)?(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})?)?)?)?$/;

/**
 * The times that a date or a time with a prefix means: all of a year, a month, a day, a minute or a second, as exactly as it is given
 * (FHIR R4 §3.1.1.4.6). Undefined for what can't be read, and for several values.
 */
export function timeRange([value = "", ...more]: string[]): TimeRange | undefined {
  const [, prefix = "eq", year, month, day, hour, minute, second, fraction, zone = "Z"] =
    TIME.exec(value) ?? [];
  if (year === undefined || more.length > 0) return undefined;
  const beginning = dayOf(`${year}-${month ?? "01"}-${day ?? "01"}`);
  const offsetMs = offsetOf(zone);
  const timeMs = timeOf(hour, minute, second, fraction);
  if (beginning === undefined || offsetMs === undefined || timeMs === undefined) return undefined;
  const first = beginning + timeMs - offsetMs;
  const from = dateAt(first);
  const before = dateAt(first + lengthOf({ year, month, day, minute, second, fraction }));
  switch (prefix) {
    case "ge":
      return { from };
    case "le":
      return { before };
    case "gt":
    case "sa":
      return { from: before };
    case "lt":
    case "eb":
      return { before: from };
    default:
      return { from, before };
  }
}

/** Undefined for what no clock shows. */
function timeOf(hour = "00", minute = "00", second = "00", fraction = ""): number | undefined {
  if (hour > "23" || minute > "59" || second > "59") return undefined;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, "0"));
  return Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS + Number(second) * 1000 + milliseconds;
}

/** Undefined for what no place has. */
function offsetOf(zone: string): number | undefined {
  if (zone === "Z") return 0;
  const ahead = timeOf(zone.slice(1, 3), zone.slice(4));
  if (ahead === undefined || ahead > 14 * HOUR_MS) return undefined;
  return zone.startsWith("-") ? -ahead : ahead;
}

type Given = Record<"year" | "month" | "day" | "minute" | "second" | "fraction", string | undefined>;

/** How long the time is that a value means. */
function lengthOf({ year, month, day, minute, second, fraction }: Given): number {
  if (fraction !== undefined) return 10 ** Math.max(0, 3 - fraction.length);
  if (second !== undefined) return 1000;
  if (minute !== undefined) return MINUTE_MS;
  if (day !== undefined) return DAY_MS;
  if (month !== undefined) return Number(lastDayOf(Number(year), Number(month))) * DAY_MS;
  return (lastDayOf(Number(year), 2) === "29" ? 366 : 365) * DAY_MS;
}

/** Within the years of four digits, beyond which PostgreSQL reads dates otherwise. */
function dateAt(time: number): Date {
  return new Date(Math.min(Math.max(time, FIRST_DAY), LAST_DAY));
}

/** The beginning of a day; undefined if the calendar does not have it. */
function dayOf(day: string): number | undefined {
  const time = Date.parse(`${day}T00:00:00Z`);
  const isDay = time >= FIRST_DAY && new Date(time).toISOString().startsWith(day);
  return isDay ? time : undefined;
}

function lastDayOf(year: number, month: number): string {
  return String(new Date(Date.UTC(year, month, 0)).getUTCDate()).padStart(2, "0");
}

function da(time: number): string {
  const day = new Date(Math.min(Math.max(time, FIRST_DAY), LAST_DAY));
  return day.toISOString().slice(0, 10).replaceAll("-", "");
}
