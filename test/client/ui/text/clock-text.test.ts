import { expect, test } from "bun:test";
import { clockText } from "../../../../src/client/ui/text/clock-text.ts";

test("time left counts down to zero in minutes and seconds, rounded up", () => {
  const shown = [600_000, 599_001, 125_000, 59_999, 1, 0].map((milliseconds) => clockText(milliseconds));
  expect(shown).toEqual(["10:00", "10:00", "2:05", "1:00", "0:01", "0:00"]);
  expect(clockText(125_000, { minuteDigits: 2 })).toBe("02:05");
});
