import { isoDate } from "../../../../shared/dicom/date.ts";

/** One end of a range of DT values. */
export interface DateTimeEnd {
  /** As the value is written, without its offset: what a value without an offset is compared with. */
  local: string;
  /** Microseconds since 1970 in UTC: the first that a beginning means, the last that an end means. Absent without an offset. */
  moment?: bigint;
}

const VALUE = String.raw`\d{4,14}(?:\.\d{1,6})?`;
/** Up to 14 hours (PS3.5 table 6.2-1), so that `-0300` is no year; a blank is a `+` that a URL did not escape. */
const OFFSET = String.raw`[+ -](?:0\d|1[0-4])[0-5]\d`;
const RANGE = new RegExp(`^(?:(${VALUE})(${OFFSET})?)?(?:(-)(?:(${VALUE})(${OFFSET})?)?)?$`);
const OFFSET_ALONE = new RegExp(`^${OFFSET}$`);
const STORED = new RegExp(`^(${VALUE})(${OFFSET})?$`);

/**
 * Reads `20240102120000-0300` or a range of such values (PS3.4 §C.2.2.2.5), each with or without an offset from UTC. A value alone
 * is both ends. Undefined if it can't be read.
 * @param usual the offset of an end that is written without one
 */
export function parseDateTimeRange(
  text: string,
  usual?: string,
): { from?: DateTimeEnd; to?: DateTimeEnd } | undefined {
  const [, from, fromOffset = usual, dash, to, toOffset = usual] = RANGE.exec(text.replaceAll(":", "")) ?? [];
  if (from === undefined && to === undefined) return undefined;
  const [last, lastOffset] = dash ? [to, toOffset] : [from, fromOffset];
  const ends = {
    ...(from !== undefined && { from: endOf(from, fromOffset, "first") }),
    ...(last !== undefined && { to: endOf(last, lastOffset, "last") }),
  };
  const isRead = (end: DateTimeEnd | undefined, offset: string | undefined) =>
    end === undefined || offset === undefined || end.moment !== undefined;
  return isRead(ends.from, fromOffset) && isRead(ends.to, lastOffset) ? ends : undefined;
}

/** Reads an offset from UTC such as `-0300` or `-03:00`; undefined if it can't be read. */
export function parseOffset(text: string): string | undefined {
  const offset = text.replace(":", "");
  return OFFSET_ALONE.test(offset) ? offset : undefined;
}

function endOf(local: string, offset: string | undefined, which: "first" | "last"): DateTimeEnd {
  const moment = offset === undefined ? undefined : momentOf(local, offset, which);
  return { local, ...(moment !== undefined && { moment }) };
}

/**
 * The first moment of a stored DT value, in microseconds of UTC. Undefined if neither the value nor its data set has an offset.
 * @param ofDataSet Timezone Offset From UTC (0008,0201), for a value without one (PS3.3 §C.12.1.1.8)
 */
export function storedMoment(text: string, ofDataSet: string | undefined): bigint | undefined {
  const [, local, offset = ofDataSet] = STORED.exec(text) ?? [];
  return local === undefined || offset === undefined ? undefined : momentOf(local, offset, "first");
}

/** A value that lacks its last parts means all the time that they leave open. */
function momentOf(local: string, offset: string, which: "first" | "last"): bigint | undefined {
  const [, sign, hours, minutes] = /^([+ -])(\d\d)(\d\d)$/.exec(offset) ?? [];
  const [, whole = "", fraction = ""] = /^(\d+)\.?(\d*)$/.exec(local) ?? [];
  const parts = [whole.slice(0, 4), ...(whole.slice(4).match(/\d\d?/g) ?? [])].map(Number);
  if (hours === undefined || whole.length % 2 === 1 || !isPossible(parts)) return undefined;
  if (whole.length >= 8 && isoDate(whole.slice(0, 8)) === null) return undefined;
  const first = secondsOf(parts);
  const offsetSeconds = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60 : 60);
  const micros = BigInt(first - offsetSeconds) * 1_000_000n + BigInt(fraction.padEnd(6, "0"));
  if (which === "first") return micros;
  const openSeconds = secondsOf(parts.with(-1, (parts.at(-1) ?? 0) + 1)) - first;
  const openMicros = fraction ? 10n ** BigInt(6 - fraction.length) : BigInt(openSeconds) * 1_000_000n;
  return micros + openMicros - 1n;
}

/** From month to second; a leap second is the one after it. */
const RANGES: readonly (readonly [number, number])[] = [
  [0, 9999],
  [1, 12],
  [1, 31],
  [0, 23],
  [0, 59],
  [0, 60],
];

function isPossible(parts: readonly number[]): boolean {
  return parts.every((part, i) => part >= (RANGES[i]?.[0] ?? 0) && part <= (RANGES[i]?.[1] ?? -1));
}

/** Seconds since 1970 of year, month, day, hour, minute and second, of which the last may be missing or one too high. */
function secondsOf([
  year = 0,
  month = 1,
  day = 1,
  hour = 0,
  minute = 0,
  second = 0,
]: readonly number[]): number {
  const date = new Date(0);
  // Date.UTC takes years below 100 for those of the 20th century.
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getTime() / 1000;
}
