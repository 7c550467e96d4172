import { describe, expect, test } from "bun:test";
import { longMomentText, momentText } from "../../../src/client/ui/moment-text.ts";

/** Noon in the reader's time zone. */
const moment = new Date(2026, 10, 14, 9, 5).toISOString();

describe("a moment", () => {
  test("is short in lists and written out in details, in the reader's language", () => {
    expect(momentText(moment)).toBe("14-11-2026 09:05");
    expect(longMomentText(moment, "pt-BR")).toBe("14 de novembro de 2026 às 09:05");
    expect(longMomentText(moment, "en-US")).toBe("November 14, 2026 at 09:05 AM");
  });

  test.each(["", "null", "not a date", null, undefined])("is empty for %p", (none) => {
    expect(longMomentText(none, "pt-BR")).toBe("");
  });
});
