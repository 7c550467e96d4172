import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../shared/units.ts";
import type { Wanted } from "../dicomweb/qido/qido-match.ts";
import type { TimeRange } from "../exchange/changed-condition.repo.ts";

/** A DA has years of four digits. */
const [FIRST_DAY, LAST_DAY] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T00:00:00Z")];

/**
 * The days that dates mean, any of them: all of a year or a month (FHIR R4 §3.1.1.4.6 and §3.1.1.4.10). A study is of a whole day, so a
 * time of day counts as its day, as it is written. Undefined for what can't be read.
 */
export function daysOf(values: readonly string[], now: Date): Wanted | undefined {
  const of = readPeriods(values)?.flatMap((period) => dayRanges(period, now.getTime()));
  return of?.length === 1 ? of[0] : of && { kind: "any", of };
}

/**
 * The times that dates or times mean, any of them: all of a year, a month, a day, a minute or a second, as exactly as they are given
 * (FHIR R4 §3.1.1.4.6). Undefined for what can't be read.
 */
export function timesOf(values: readonly string[], now: Date): TimeRange[] | undefined {
  return readPeriods(values)?.flatMap((period) => timeRanges(period, now.getTime()));
}

/** A value of a search for dates: what it means of the time line, and how matches lie to it. */
interface Period {
  prefix: string;
  /** In UTC, where the value has no other zone. */
  from: number;
  before: number;
  /** The days that the value writes, whatever its zone: their beginnings. */
  firstDay: number;
  lastDay: number;
  /** Undefined for a value without a time of day. */
  timeMs: number | undefined;
}

/** The days of studies are whole, so one is over and under a time within it (FHIR R4 §3.1.1.4.6). */
function dayRanges({ prefix, firstDay, lastDay, timeMs, ...period }: Period, now: number): Wanted[] {
  const after = da(lastDay + DAY_MS);
  const before = da(firstDay - DAY_MS);
  const near = nearness(period, now);
  switch (prefix) {
    case "ge":
      return [{ kind: "range", from: da(firstDay) }];
    case "le":
      return [{ kind: "range", to: da(lastDay) }];
    case "gt":
      return [{ kind: "range", from: timeMs === undefined ? after : da(firstDay) }];
    case "lt":
      return [{ kind: "range", to: timeMs ? da(firstDay) : before }];
    case "sa":
      return [{ kind: "range", from: after }];
    case "eb":
      return [{ kind: "range", to: before }];
    case "ne":
      return [
        { kind: "range", to: before },
        { kind: "range", from: after },
      ];
    case "ap":
      return [{ kind: "range", from: da(firstDay - near), to: da(lastDay + near) }];
    default:
      return [{ kind: "range", from: da(firstDay), to: da(lastDay) }];
  }
}

function timeRanges({ prefix, ...period }: Period, now: number): TimeRange[] {
  const from = dateAt(period.from);
  const before = dateAt(period.before);
  const near = nearness(period, now);
  switch (prefix) {
    case "ge":
      return [{ from }];
    case "le":
      return [{ before }];
    case "gt":
    case "sa":
      return [{ from: before }];
    case "lt":
    case "eb":
      return [{ before: from }];
    case "ne":
      return [{ before: from }, { from: before }];
    case "ap":
      return [{ from: dateAt(period.from - near), before: dateAt(period.before + near) }];
    default:
      return [{ from, before }];
  }
}

/** How far from a period `ap` reaches: a tenth of the time between it and now, as FHIR R4 §3.1.1.4.6 recommends. */
function nearness({ from, before }: Pick<Period, "from" | "before">, now: number): number {
  return Math.max(from - now, now - before, 0) / 10;
}

/** A space stands where an address has a `+` as it is. */
const DATE =
  /^(eq|ne|ge|le|gt|lt|sa|eb|ap)?(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[ +-]\d{2}:\d{2})?)?)?)?$/;

function readPeriods(values: readonly string[]): Period[] | undefined {
  const periods = values.map(readPeriod).filter((period) => period !== undefined);
  return periods.length < values.length ? undefined : periods;
}

function readPeriod(value: string): Period | undefined {
  const [, prefix = "eq", year, month, day, hour, minute, second, fraction, zone = "Z"] =
    DATE.exec(value) ?? [];
  if (year === undefined) return undefined;
  const firstDay = dayOf(`${year}-${month ?? "01"}-${day ?? "01"}`);
  const lastDay = dayOf(`${year}-${month ?? "12"}-${day ?? lastDayOf(Number(year), Number(month ?? 12))}`);
  const offsetMs = offsetOf(zone);
  const timeMs = timeOf(hour, minute, second, fraction);
  if (firstDay === undefined || lastDay === undefined) return undefined;
  if (offsetMs === undefined || timeMs === undefined) return undefined;
  const from = firstDay + timeMs - offsetMs;
  const lengthMs = lengthOf(minute, second, fraction) ?? lastDay + DAY_MS - firstDay;
  return {
    prefix,
    from,
    before: from + lengthMs,
    firstDay,
    lastDay,
    timeMs: hour === undefined ? undefined : timeMs,
  };
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

/** How long the time is that a time of day means; undefined for a value without one. */
function lengthOf(minute?: string, second?: string, fraction?: string): number | undefined {
  if (fraction !== undefined) return 10 ** Math.max(0, 3 - fraction.length);
  if (second !== undefined) return 1000;
  return minute === undefined ? undefined : MINUTE_MS;
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
  return dateAt(time).toISOString().slice(0, 10).replaceAll("-", "");
}
