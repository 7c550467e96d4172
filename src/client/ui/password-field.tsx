import { useLingui } from "@lingui/react/macro";
import { type ComponentProps, type ReactNode, useState } from "react";
import { EyeIcon, EyeOffIcon } from "./entry-icons.tsx";
import { Field } from "./field.tsx";

interface PasswordFieldProps extends Omit<ComponentProps<"input">, "type" | "children"> {
  label: ReactNode;
  aside?: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
}

/** A password field that can show its text. */
export function PasswordField({ label, aside, hint, error, ...input }: PasswordFieldProps) {
  const { t } = useLingui();
  const [visible, setVisible] = useState(false);
  return (
    <Field label={label} aside={aside} hint={hint} error={error}>
      {(control) => (
        <div className="input password">
          <input type={visible ? "text" : "password"} {...input} {...control} />
          <button
            type="button"
            className="password-eye"
            aria-label={t({ id: "field.password.show", message: "Show password" })}
            aria-pressed={visible}
            onClick={() => setVisible(!visible)}
          >
            {visible ? <EyeOffIcon small /> : <EyeIcon small />}
          </button>
        </div>
      )}
    </Field>
  );
}
