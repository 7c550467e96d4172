import { Trans, useLingui } from "@lingui/react/macro";
import { type SyntheticEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { CODE_LENGTH, CodeField, emptyCode } from "../../ui/code-field.tsx";
import type { PendingSignIn } from "./pending-sign-in.ts";
import { useCodeCheck } from "./use-code-check.ts";

/** The six digits of a second step, mailed or from an app, and whether this device is trusted from then on. */
export function useCodeEntry(pending: PendingSignIn | undefined) {
  const [digits, setDigits] = useState(emptyCode);
  const [rememberDevice, setRememberDevice] = useState(false);
  const { isBusy, isWrong, verify } = useCodeCheck(pending);
  const code = digits.join("");
  const submit = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const firstBox = event.currentTarget.querySelector("input");
    if (await verify(code, rememberDevice)) return;
    setDigits(emptyCode);
    firstBox?.focus();
  };
  return {
    digits,
    setDigits,
    rememberDevice,
    setRememberDevice,
    isBusy,
    isWrong: isWrong && code === "",
    isReady: code.length === CODE_LENGTH && pending !== undefined,
    onSubmit: (event: SyntheticEvent<HTMLFormElement>) => void submit(event),
  };
}

type CodeEntry = ReturnType<typeof useCodeEntry>;

export function CodeDigits({ digits, setDigits, isWrong }: CodeEntry) {
  const { t } = useLingui();
  return (
    <CodeField
      legend={t({ id: "auth.verify.legend", message: "Code of 6 digits" })}
      digits={digits}
      onDigitsChange={setDigits}
      invalid={isWrong}
    />
  );
}

export function RememberDevice({ rememberDevice, setRememberDevice }: CodeEntry) {
  return (
    <Checkbox
      label={<Trans id="auth.verify.remember">Trust this device for 30 days</Trans>}
      checked={rememberDevice}
      onCheckedChange={setRememberDevice}
    />
  );
}

export function VerifyButton({ isBusy, isReady }: Pick<CodeEntry, "isBusy" | "isReady">) {
  return (
    <Button type="submit" kind="lit" size="big" disabled={isBusy || !isReady}>
      {isBusy ? (
        <Trans id="auth.verify.busy">Verifying…</Trans>
      ) : (
        <Trans id="auth.verify.submit">Verify</Trans>
      )}
    </Button>
  );
}
