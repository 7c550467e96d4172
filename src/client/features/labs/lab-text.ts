import type { I18n } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { LabExam } from "../../../shared/api/labs.ts";
import { calendarText, dayText } from "../../ui/text/moment-text.ts";

const noName = msg({ id: "labs.noName", message: "Unnamed exam" });

export function labName(i18n: I18n, { laudoDescription }: Pick<LabExam, "laudoDescription">): string {
  return laudoDescription.trim() || i18n._(noName);
}

/** The exam's date, or else the day it was stored in the reader's time zone, as the lists write days. */
export function labDate({ examDate, createdAt }: Pick<LabExam, "examDate" | "createdAt">): string {
  return examDate ? calendarText(examDate) : dayText(createdAt);
}
