import "../../../support/client/dom-globals.ts";
import { afterEach, beforeEach, expect, setSystemTime, test } from "bun:test";
import { activateLocale, i18n } from "../../../../src/client/i18n.ts";
import { whenText } from "../../../../src/client/ui/text/when-text.ts";
import { withDom } from "../../../support/client/dom.ts";

withDom();

const { TZ } = process.env;
beforeEach(() => {
  process.env.TZ = "America/New_York";
});
afterEach(() => {
  process.env.TZ = TZ ?? "Etc/UTC";
  setSystemTime();
});

test("yesterday is the day before, also where the clocks were put forward on it", async () => {
  await activateLocale("pt-BR");
  // 00:30, after a day of 23 hours.
  setSystemTime(new Date("2026-03-09T04:30:00.000Z"));
  expect(whenText(i18n, "2026-03-08T19:00:00.000Z")).toBe("ontem");
  expect(whenText(i18n, "2026-03-08T01:00:00.000Z")).toBe("em 07-03-2026");
});
