import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatDate, isDateOrEmpty, parseDate } from "../../../../src/client/ui/text/date-text.ts";
import { locales } from "../../../../src/shared/locale.ts";

describe("a date as people write it", () => {
  test.each([
    ["14/03/2026", "2026-03-14"],
    ["5/3/2026", "2026-03-05"],
    ["05-03-2026", "2026-03-05"],
    ["5.3.2026", "2026-03-05"],
    ["05032026", "2026-03-05"],
    [" 29/02/2024 ", "2024-02-29"],
  ])("%s is a day in Portuguese", (text, iso) => {
    expect(parseDate(text, "date", "pt-BR")).toBe(iso);
  });

  test.each([
    "29/02/2026",
    "31/04/2026",
    "00/01/2026",
    "14/13/2026",
    "14/03/26",
    "14/03",
    "2026-03-14",
    "hoje",
    "",
  ])("%p names no day", (text) => expect(parseDate(text, "date", "pt-BR")).toBeUndefined());

  test("has the month first in American English", () => {
    expect(parseDate("3/14/2026", "date", "en-US")).toBe("2026-03-14");
    expect(parseDate("14/3/2026", "date", "en-US")).toBeUndefined();
  });

  test.each([
    ["14/03/2026 07:27", "2026-03-14T07:27"],
    ["14/03/2026 7:27", "2026-03-14T07:27"],
    ["14/03/2026, 7h27", "2026-03-14T07:27"],
    ["14/03/2026 0727", "2026-03-14T07:27"],
    ["140320260727", "2026-03-14T07:27"],
  ])("%s is a day with its time", (text, iso) => {
    expect(parseDate(text, "datetime", "pt-BR")).toBe(iso);
  });

  test.each(["14/03/2026", "14/03/2026 24:00", "14/03/2026 7", "14/03/2026 07:60", "14/03/2026 07:27 h"])(
    "%p names no day with a time",
    (text) => expect(parseDate(text, "datetime", "pt-BR")).toBeUndefined(),
  );

  test("survives a round trip in both languages", () => {
    const days = fc.date({ min: new Date("0100-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(days, fc.constantFrom(...locales), (day, locale) => {
        const iso = day.toISOString().slice(0, 16);
        expect(parseDate(formatDate(iso, locale) ?? "", "datetime", locale)).toBe(iso);
        expect(parseDate(formatDate(iso.slice(0, 10), locale) ?? "", "date", locale)).toBe(iso.slice(0, 10));
      }),
    );
  });

  test("is parsed without an exception from any text", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom("date", "datetime"), (text, kind) => {
        const parsed = parseDate(text, kind, "pt-BR");
        expect(parsed === undefined || isDateOrEmpty(parsed, kind)).toBe(true);
      }),
    );
  });
});
