import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isoDate, isoTime } from "../../../src/shared/dicom/date.ts";
import { syntaxFixture, syntaxPairs } from "../../support/dicom/syntax-fixture.ts";
import { spentMs } from "../../support/spent-time.ts";

describe.each([
  ["date", isoDate],
  ["time", isoTime],
] as const)("a DICOM %s", (name, convert) => {
  test.each(syntaxPairs(`${name}_valid`))("%p reads as %p", (value, expected) => {
    expect(convert(value)).toBe(expected);
  });

  test.each(syntaxFixture(`${name}_invalid`))("%p is refused", (value) => {
    expect(convert(value)).toBeNull();
  });

  test("is read without its padding", () => {
    const [[value, expected] = ["", ""]] = syntaxPairs(`${name}_valid`);
    expect(convert(` ${value} \0`)).toBe(expected);
  });
});

test("every day of the calendar reads as itself", () => {
  const days = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
  fc.assert(
    fc.property(days, (day) => {
      const iso = day.toISOString().slice(0, 10);
      expect(isoDate(iso.replaceAll("-", ""))).toBe(iso);
    }),
  );
});

test("every result is a real day, whatever the input", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\d{8}$/), (value) => {
      const iso = isoDate(value);
      if (iso !== null) expect(new Date(`${iso}T00:00Z`).toISOString().slice(0, 10)).toBe(iso);
    }),
  );
});

test("a text made to take long is soon found to be no day and no time", () => {
  const long = `1${" ".repeat(200_000)}x`;
  const startedAt = spentMs();
  expect([isoDate(long), isoTime(long)]).toEqual([null, null]);
  expect(spentMs() - startedAt).toBeLessThan(1_000);
});
