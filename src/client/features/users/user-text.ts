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
