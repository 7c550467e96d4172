import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { type PasswordStrength, passwordStrength } from "../../../shared/rules/password-strength.ts";

const words: Record<PasswordStrength, ReactNode> = {
  0: <Trans id="auth.strength.tooShort">At least 6 characters.</Trans>,
  1: <Trans id="auth.strength.weak">Weak password: a longer one is harder to guess.</Trans>,
  2: <Trans id="auth.strength.fair">Fair password.</Trans>,
  3: <Trans id="auth.strength.good">Good password.</Trans>,
  4: <Trans id="auth.strength.strong">Strong password.</Trans>,
};

const steps = [1, 2, 3, 4] as const;

/** A step wedge that fills as the password gets harder to guess. It only advises and never refuses a password. */
export function PasswordStrengthHint({ password }: { password: string }) {
  const strength = passwordStrength(password);
  return (
    <div className="strength" data-strength={strength}>
      <span className="strength-wedge" aria-hidden="true">
        {steps.map((step) => (
          <i key={step} className={step <= strength ? "is-on" : ""} />
        ))}
      </span>
      <p className="field-hint" role="status">
        {words[strength]}
      </p>
    </div>
  );
}
