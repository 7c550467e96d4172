import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

/** The plans that an installation begins with, by the names that they have in the database. */
const names: Readonly<Record<string, MessageDescriptor>> = {
  Avaliação: msg({ id: "plan.names.trial", message: "Trial" }),
  Cortesia: msg({ id: "plan.names.courtesy", message: "Courtesy" }),
  Essencial: msg({ id: "plan.names.essential", message: "Essential" }),
  Família: msg({ id: "plan.names.family", message: "Family" }),
  Profissional: msg({ id: "plan.names.professional", message: "Professional" }),
  Clínica: msg({ id: "plan.names.clinic", message: "Clinic" }),
};

/** The name of a plan in the reader's language; a plan that an admin named is shown as they wrote it. */
export function planNameText(i18n: I18n, name: string): string {
  const known = Object.hasOwn(names, name) ? names[name] : undefined;
  return known ? i18n._(known) : name;
}
