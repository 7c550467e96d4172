import { useLingui } from "@lingui/react/macro";
import { type SyntheticEvent, useState } from "react";
import { type Login, loginSchema } from "../../../shared/api/auth.ts";
import { ApiError, api } from "../../calls/api.ts";
import { violationText } from "../../calls/validation.ts";
import { beginSession } from "../../session.ts";
import { showToast } from "../../ui/toast.tsx";
import { keepPendingSignIn, type PendingSignIn } from "./pending-sign-in.ts";

type LoginErrors = Partial<Record<keyof Login, string>>;

/**
 * The login form's behaviour. Unlike every other form, it does without the form library, which would add 14 kB to the
 * entry page for two fields.
 */
export function useLogin(onPending: (pending: PendingSignIn) => void) {
  const { t, i18n } = useLingui();
  const [errors, setErrors] = useState<LoginErrors>({});
  const [isBusy, setBusy] = useState(false);

  const refuse = (form: HTMLFormElement, found: LoginErrors) => {
    setErrors(found);
    const first = found.email ? "email" : "password";
    form.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus();
  };

  const send = async (form: HTMLFormElement, credentials: Login, keepConnected: boolean) => {
    setErrors({});
    setBusy(true);
    try {
      const answer = await api.login(credentials);
      if (!("requiresTwoFactor" in answer)) {
        // The form stays busy until the next page loads.
        beginSession(answer, { keepConnected });
        return;
      }
      const { email, methods } = answer;
      const pending = { email, keepConnected, passwordAt: Date.now(), ...(methods && { methods }) };
      keepPendingSignIn(pending);
      onPending(pending);
    } catch (error) {
      setBusy(false);
      if (!(error instanceof ApiError)) throw error;
      const found = errorsOf(error.violations);
      if (found.email || found.password) return refuse(form, found);
      const title = t({ id: "auth.login.failed", message: "Login failed" });
      showToast({ tone: "bad", title, text: error.message });
      // The button was disabled meanwhile and has lost the focus.
      form.querySelector<HTMLInputElement>("[name=password]")?.focus();
    }
  };

  const submit = (event: SyntheticEvent<HTMLFormElement>, keepConnected: boolean) => {
    event.preventDefault();
    const form = event.currentTarget;
    const { data, error } = loginSchema.safeParse({
      email: typedIn(form, "email"),
      password: typedIn(form, "password"),
    });
    if (data) void send(form, data, keepConnected);
    else refuse(form, errorsOf(error.issues));
  };

  return {
    isBusy,
    submit,
    errorOf: (field: keyof Login) => violationText(i18n, errors[field]),
  };
}

/** The current value of a field, including one that the browser filled in without an event. */
export function typedIn(form: HTMLFormElement | null, field: keyof Login): string {
  const input = form?.elements.namedItem(field);
  return input instanceof HTMLInputElement ? input.value : "";
}

/** The first error of each field. */
function errorsOf(issues: readonly { path: string | PropertyKey[]; message: string }[]): LoginErrors {
  const found: LoginErrors = {};
  for (const { path, message } of issues) {
    const field = typeof path === "string" ? path : path[0];
    if (field === "email" || field === "password") found[field] ??= message;
  }
  return found;
}
