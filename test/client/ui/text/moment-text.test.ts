import "../../../support/client/dom-globals.ts";
import { describe, expect, test } from "bun:test";
import { planNameText } from "../../../../src/client/features/plan/plan-name.ts";
import { dateText } from "../../../../src/client/features/studies/study-text.ts";
import { activateLocale, i18n } from "../../../../src/client/i18n.ts";
import { dayText, longMomentText, momentText } from "../../../../src/client/ui/text/moment-text.ts";
import { withDom } from "../../../support/client/dom.ts";

withDom();

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

test("a day is written dd-MM-yyyy, and in English its month has a name", async () => {
  await activateLocale("pt-BR");
  expect(dayText(new Date(2026, 3, 5))).toBe("05-04-2026");
  await activateLocale("en-US");
  expect(dayText(new Date(2026, 3, 5))).toBe("05-Apr-2026");
  expect(dateText(i18n, "2026-12-03")).toBe("03-Dec-2026");
  expect(dateText(i18n, null)).toBe("no date");
  await activateLocale("pt-BR");
  expect(dateText(i18n, null)).toBe("sem data");
});

test("the plans of a new installation have names in both languages, and a plan keeps the name an admin gave it", async () => {
  await activateLocale("en-US");
  expect(planNameText(i18n, "Família")).toBe("Family");
  expect(planNameText(i18n, "Avaliação")).toBe("Trial");
  expect(planNameText(i18n, "constructor")).toBe("constructor");
  await activateLocale("pt-BR");
  expect(planNameText(i18n, "Família")).toBe("Família");
  expect(planNameText(i18n, "Plano do João")).toBe("Plano do João");
});
