import { DAY_MS } from "../../../shared/units.ts";
import type { Wanted } from "../dicomweb/qido/qido-match.ts";

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
