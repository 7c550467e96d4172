import { Trans } from "@lingui/react/macro";
import { TextField } from "../../ui/field.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import type { Proof } from "./use-proof.ts";

/** The password and, where the account has a factor, a code or (left empty) a passkey. */
export function ProofFields({ proof }: { proof: Proof }) {
  const { isAsked, wantsFactor, hasPasskey, values, errors, set } = proof;
  if (!isAsked) return null;
  return (
    <>
      <PasswordField
        label={<Trans id="security.proof.password">Your password</Trans>}
        name="currentPassword"
        autoComplete="current-password"
        value={values.currentPassword}
        error={errors.currentPassword}
        onChange={({ target }) => set("currentPassword", target.value)}
      />
      {wantsFactor && (
        <TextField
          label={<Trans id="security.proof.code">Code from your app, or a recovery code</Trans>}
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          value={values.code}
          error={errors.code}
          hint={
            hasPasskey && (
              <Trans id="security.proof.passkeyHint">
                Leave it empty to confirm with a passkey on this device.
              </Trans>
            )
          }
          onChange={({ target }) => set("code", target.value)}
        />
      )}
    </>
  );
}
