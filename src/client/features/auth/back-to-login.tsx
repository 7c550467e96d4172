import { Trans } from "@lingui/react/macro";
import type { AuthFormProps } from "./auth-forms.ts";

export function BackToLogin({ onSwitch }: Pick<AuthFormProps, "onSwitch">) {
  return (
    <button type="button" className="link" onClick={() => onSwitch("login")}>
      <Trans id="auth.backToLogin">Back to login</Trans>
    </button>
  );
}
