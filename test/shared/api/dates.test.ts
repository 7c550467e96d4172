import { expect, test } from "bun:test";
import {
  daySchema,
  instantSchema,
  localDateTimeSchema,
  writtenDateTimeSchema,
  writtenDaySchema,
} from "../../../src/shared/api/dates.ts";

const schemas = { day: daySchema, localDateTime: localDateTimeSchema, instant: instantSchema };

test.each([
  ["day", "2024-02-29", true],
  ["day", "9999-12-31", true],
  ["day", "2026-02-29", false],
  ["day", "2026-13-01", false],
  ["day", "0000-01-01", false],
  ["day", "20260101", false],
  ["localDateTime", "2026-03-14", true],
  ["localDateTime", "2026-03-14T07:27", true],
  ["localDateTime", "2026-03-14T07:27:31", true],
  ["localDateTime", "2026-02-30T07:27", false],
  ["localDateTime", "2026-03-14T24:00", false],
  ["localDateTime", "2026-03-14T07:60", false],
  ["localDateTime", "2026-03-14T07:27:31Z", false],
  ["instant", "2026-03-14T07:27:31Z", true],
  ["instant", "2026-03-14T07:27:31.5-03:00", true],
  ["instant", "0001-01-01T00:00:00Z", true],
  ["instant", "0000-01-01T00:00:00Z", false],
  ["instant", "0001-01-01T00:00:00+01:00", false],
  ["instant", "9999-12-31T23:59:59-01:00", false],
  ["instant", "2026-02-30T00:00:00Z", false],
] as const)("a %s %p is taken: %p", (kind, text, isTaken) => {
  const { success, error } = schemas[kind].safeParse(text);
  expect(success).toBe(isTaken);
  expect(error?.issues ?? []).toHaveLength(isTaken ? 0 : 1);
});

test.each([
  ["20240229", "2024-02-29", "2024-02-29"],
  ["2024-02-29", "2024-02-29", "2024-02-29"],
  ["20260314072731", undefined, "2026-03-14T07:27:31"],
  ["202603140727", undefined, "2026-03-14T07:27"],
  ["2026-03-14T07:27:31", undefined, "2026-03-14T07:27:31"],
  ["20260229", undefined, undefined],
  ["20260314246000", undefined, undefined],
  ["20260314072799", undefined, undefined],
  ["2026031407", undefined, undefined],
  ["2026-0314", undefined, undefined],
  ["2026-03-140727", undefined, undefined],
  ["2026-03-14T0727", undefined, undefined],
] as const)("%p is written as the day %p and the time %p", (text, day, dateTime) => {
  expect(writtenDaySchema.safeParse(text).data).toBe(day);
  expect(writtenDateTimeSchema.safeParse(text).data).toBe(dateTime);
});
