import { describe, expect, test } from "bun:test";
import { matchesAll } from "../../../src/server/features/dicomweb/qido/match-json.ts";
import { parseQido } from "../../../src/server/features/dicomweb/qido/parse-qido.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";

const ACQUISITION_DATE_TIME = "0008002A";

/** Whether a search for a date time finds an instance that has this one, and perhaps Timezone Offset From UTC. */
function finds(wanted: string, stored: string, offset?: string, asked?: string): boolean {
  const { matches } = parseQido(
    new URLSearchParams({ AcquisitionDateTime: wanted, TimezoneOffsetFromUTC: asked ?? "" }),
  );
  const json = {
    [ACQUISITION_DATE_TIME]: { vr: "DT", Value: [stored] },
    ...(offset !== undefined && { [TagHex.TimezoneOffsetFromUTC]: { vr: "SH", Value: [offset] } }),
  };
  return matchesAll(json, matches);
}

describe("a search for a date time with an offset from UTC", () => {
  test.each([
    ["20240102120000-0300", "20240102150000+0000", true],
    ["20240102120000-0300", "20240102150000.999999+0000", true],
    ["20240102120000-0300", "20240102150001+0000", false],
    ["20240102120000-0300", "20240102120000+0000", false],
    ["20240102120000.5-0300", "20240102150000.512345+0000", true],
    ["20240102120000.5-0300", "20240102150000.612345+0000", false],
    ["20240101-0300", "20240102025959+0000", true],
    ["20240101-0300", "20240102030000+0000", false],
    ["202402+1400", "20240131100000+0000", true],
    ["202402+1400", "20240131095959+0000", false],
    ["20231231233000-0300-20240101003000-0300", "20240101030000+0000", true],
    ["20231231233000-0300-20240101003000-0300", "20240101040000+0000", false],
    ["20240101000000+0000-20240101000000-0300", "20240101023000+0000", true],
    ["20240102120000-0300-", "20240102150000+0000", true],
    ["20240102120000-0300-", "20240102145959+0000", false],
    ["-20240102120000-0300", "20240102150000+0000", true],
    ["-20240102120000-0300", "20240102150001+0000", false],
    ["2024-01-02T", "20240102", undefined],
  ])("%p compares %p in time: %p", (wanted, stored, expected) => {
    if (expected === undefined) expect(() => finds(wanted, stored)).toThrow();
    else expect(finds(wanted, stored)).toBe(expected);
  });

  test.each([
    [
      "a value without an offset has that of its data set",
      "20240102120000-0300",
      "20240102130000",
      "-0200",
      true,
    ],
    ["and is another moment then", "20240102120000-0300", "20240102120000", "-0200", false],
    ["its own offset comes first", "20240102120000-0300", "20240102150000+0000", "-0200", true],
    ["an offset that can't be read is none", "20240102120000-0300", "20240102120000", "Brasília", true],
  ])("%s", (_, wanted, stored, offset, expected) => {
    expect(finds(wanted, stored, offset)).toBe(expected);
  });

  test("compares a value without any offset as it is written", () => {
    expect(finds("20240102120000-0300", "20240102120000")).toBe(true);
    expect(finds("20240102120000-0300", "20240102150000")).toBe(false);
    expect(finds("2024010212+0000-2024010213+0000", "20240102135959")).toBe(true);
  });

  test("of the whole search, for values that it gives without one", () => {
    expect(finds("20240102120000", "20240102150000+0000", undefined, "-0300")).toBe(true);
    expect(finds("20240102120000", "20240102150000", "+0000", "-03:00")).toBe(true);
    expect(finds("20240102120000", "20240102150000", undefined, "-0300")).toBe(false);
    expect(finds("20240102120000", "20240102120000", "-0300", "-0300")).toBe(true);
    expect(finds("-20240102115959", "20240102150000+0000", undefined, "-0300")).toBe(false);
    expect(finds("20240102120000+0000", "20240102120000+0000", undefined, "-0300")).toBe(true);
  });

  test("takes a + that the address did not escape", () => {
    expect(finds("20240102120000 0000", "20240102090000-0300")).toBe(true);
  });

  test("without one goes on as it is written, whatever offset the value has", () => {
    expect(finds("20240102-20240103", "20240103235959-0300", "+0000")).toBe(true);
    expect(finds("2023-2024", "20240103235959-0300")).toBe(true);
    expect(finds("20240104-", "20240103235959-0300")).toBe(false);
  });
});

test.each([
  "20241302120000-0300",
  "20240132-0300",
  "20240230120000-0300",
  "20240101250000+0000",
  "202401021-0300",
  "20240102+0260",
  "20240102+1500",
  "20240102-0300-2025-0300-2026",
  "-",
  "+0300",
  `${"2".repeat(100)}-0300`,
])("a date time that can't be read (%s) is refused, not guessed", (wanted) => {
  expect(() => finds(wanted, "20240102")).toThrow(
    expect.objectContaining({ kind: expect.objectContaining({ status: 400 }) }),
  );
});

describe("a search for a range of dates and a range of their times", () => {
  const at = (date: string, time?: string) => ({
    [TagHex.AcquisitionDate]: { vr: "DA", Value: [date] },
    ...(time !== undefined && { [TagHex.AcquisitionTime]: { vr: "TM", Value: [time] } }),
  });
  const matches = (date: string, time: string, json: ReturnType<typeof at>) =>
    matchesAll(
      json,
      parseQido(new URLSearchParams({ AcquisitionTime: time, AcquisitionDate: date })).matches,
    );

  test.each([
    ["20060705-20060707", "1000-1800", "20060705", "095959", false],
    ["20060705-20060707", "1000-1800", "20060705", "100000", true],
    ["20060705-20060707", "1000-1800", "20060706", "030000", true],
    ["20060705-20060707", "1000-1800", "20060707", "180059.9", true],
    ["20060705-20060707", "1000-1800", "20060707", "180100", false],
    ["20060705-20060707", "1800-1000", "20060706", "120000", true],
    ["20060705-20060707", "1800-1000", "20060706", undefined, true],
    ["20060705-20060707", "1800-1000", "20060705", undefined, false],
    ["20060705-", "1000-", "20060706", "0900", true],
    ["-20060705", "-1000", "20060704", "2300", true],
    ["-20060705", "-1000", "20060705", "1100", false],
    // Other forms are compared one by one.
    ["20060705-20060707", "1000-", "20060706", "0900", false],
    ["20060705-20060707", "10", "20060706", "0900", false],
    ["20060705", "1000-1800", "20060705", "1200", true],
  ])("takes them for one (%s, %s): at %s, %s it matches: %p", (date, time, ofDay, atTime, expected) => {
    expect(matches(date, time, at(ofDay, atTime))).toBe(expected);
  });
});
