import type { I18n } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { LabExam } from "../../../shared/api/labs.ts";

const noName = msg({ id: "labs.noName", message: "Unnamed exam" });

export function labName(i18n: I18n, { laudoDescription }: Pick<LabExam, "laudoDescription">): string {
  return laudoDescription.trim() || i18n._(noName);
}

/** The exam's date, or else the day it was stored in the reader's time zone, as `14-11-2026`. */
export function labDate({ examDate, createdAt }: Pick<LabExam, "examDate" | "createdAt">): string {
  if (examDate) return examDate.split("-").reverse().join("-");
  const created = new Date(createdAt);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${two(created.getDate())}-${two(created.getMonth() + 1)}-${created.getFullYear()}`;
}
