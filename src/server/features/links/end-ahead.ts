import type { Locale } from "../../../shared/locale.ts";
import { addDays } from "../../../shared/rules/days.ts";
import { validationMessages } from "../../../shared/validation-messages.ts";
import { AppError } from "../../http/app-error.ts";
import { validationFailed } from "../../http/http.errors.ts";
import { translate } from "../../http/translate.ts";

/** When something ends by itself: as asked, or after the default. @throws {AppError} 400 if that is past or too far ahead */
export function endAhead(
  input: { expiresAt?: string | null | undefined; locale: Locale },
  now: Date,
  { defaultDays, maxDays }: { defaultDays: number; maxDays: number },
): Date {
  if (!input.expiresAt) return addDays(now, defaultDays);
  const end = new Date(input.expiresAt);
  if (end > now && end <= addDays(now, maxDays)) return end;
  const code = "validation.invalid";
  const message = translate(input.locale, validationMessages[code]);
  throw new AppError(validationFailed, { violations: [{ path: "expiresAt", code, message }] });
}
