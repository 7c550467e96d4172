import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Role } from "../../../shared/api/users.ts";

const roleNames: Record<Role, MessageDescriptor> = {
  admin: msg({ id: "role.admin", message: "Administrator" }),
  user: msg({ id: "role.user", message: "User" }),
  doctor: msg({ id: "role.doctor", message: "Doctor" }),
  lab: msg({ id: "role.lab", message: "Laboratory" }),
};

export function roleName(i18n: I18n, role: Role): string {
  return i18n._(roleNames[role]);
}

/** The day of a moment where the reader is, as `14-11-2026`. */
export function dayText(moment: string): string {
  const [year, month, day] = localDay(moment).split("-");
  return `${day}-${month}-${year}`;
}

/** The day of a moment where the reader is, as a date field has it: `2026-11-14`. */
export function localDay(moment: string): string {
  const date = new Date(moment);
  const twoDigits = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** The last second of a day where the reader is, as ISO 8601 UTC. */
export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString();
}
