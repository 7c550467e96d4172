import type { I18n } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { calendarText, localDay } from "./moment-text.ts";

const today = msg({ id: "when.today", message: "today, {time}" });
const yesterday = msg({ id: "when.yesterday", message: "yesterday" });
const onDay = msg({ id: "when.onDay", message: "on {day}" });

/** A past moment in the reader's time zone, to stand inside a sentence: `hoje, 08:40`, `ontem`, `em 11-11-2026`. */
export function whenText(i18n: I18n, moment: string): string {
  const now = new Date();
  const at = new Date(moment);
  const day = localDay(at);
  if (day === localDay(now)) {
    const time = [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
    return i18n._({ ...today, values: { time } });
  }
  // By the calendar: a day has 23 hours where the clocks are put forward.
  now.setDate(now.getDate() - 1);
  if (day === localDay(now)) return i18n._(yesterday);
  return i18n._({ ...onDay, values: { day: calendarText(day) } });
}
