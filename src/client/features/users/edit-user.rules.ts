import * as z from "zod/mini";
import { emailSchema, nameSchema } from "../../../shared/api/account-fields.ts";
import { type CurrentUser, roleSchema, type UserChange } from "../../../shared/api/users.ts";
import { isDateOrEmpty } from "../../ui/text/date-text.ts";
import { endOfDay, localDay } from "../../ui/text/moment-text.ts";

export const editUserSchema = z.object({
  name: nameSchema,
  email: emailSchema,
  role: roleSchema,
  isAuthorized: z.boolean(),
  /** `YYYY-MM-DD` in the admin's time zone; empty for never. */
  expiresOn: z
    .string()
    .check(z.refine((text) => isDateOrEmpty(text, "date"), { error: "validation.invalid" })),
});
export type EditUserValues = z.infer<typeof editUserSchema>;

export function valuesOfUser({ name, email, role, isAuthorized, expiresAt }: CurrentUser): EditUserValues {
  return { name, email, role, isAuthorized, expiresOn: expiresAt ? localDay(expiresAt) : "" };
}

/** The changed values only. A subscription keeps its hour unless its day was changed. */
export function changeOf(user: CurrentUser, values: EditUserValues): UserChange {
  const before = valuesOfUser(user);
  return {
    ...(values.name !== before.name && { name: values.name }),
    ...(values.email !== before.email && { email: values.email }),
    ...(values.role !== before.role && { role: values.role }),
    ...(values.isAuthorized !== before.isAuthorized && { isAuthorized: values.isAuthorized }),
    ...(values.expiresOn !== before.expiresOn && {
      expiresAt: values.expiresOn ? endOfDay(values.expiresOn) : null,
    }),
  };
}
