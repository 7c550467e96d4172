import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useState } from "react";
import type { Factors, TotpEnrolment } from "../../../shared/api/factors.ts";
import { ApiError } from "../../api.ts";
import { CODE_LENGTH, CodeField, emptyCode } from "../../ui/code-field.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ProofFields } from "./proof-fields.tsx";
import { securityApi } from "./security-api.ts";
import { refreshFactors } from "./use-factors.ts";
import { useProof } from "./use-proof.ts";

interface TotpDialogProps {
  factors: Factors;
  onClose: () => void;
  /** Called if this is the account's first factor, which brings recovery codes. */
  onRecoveryCodes: (codes: string[]) => void;
}

/** Sets up an authenticator app: asks for a proof of identity, shows the QR code, then asks for the app's first code. */
export function TotpDialog({ factors, onClose, onRecoveryCodes }: TotpDialogProps) {
  const [enrolment, setEnrolment] = useState<TotpEnrolment>();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={<Trans id="security.totp.add">Set up an authenticator app</Trans>}
      text={
        enrolment ? (
          <Trans id="security.totp.scan">
            Scan this code with the app, or type the key. Then enter the 6 digits that the app shows.
          </Trans>
        ) : (
          <Trans id="security.totp.addText">
            An app such as Google Authenticator, Microsoft Authenticator or 2FAS shows a new code every 30
            seconds. Logging in then asks for it after your password.
          </Trans>
        )
      }
    >
      {enrolment ? (
        <ConfirmForm enrolment={enrolment} onClose={onClose} onRecoveryCodes={onRecoveryCodes} />
      ) : (
        <BeginForm factors={factors} onClose={onClose} onBegun={setEnrolment} />
      )}
    </Dialog>
  );
}

interface BeginFormProps {
  factors: Factors;
  onClose: () => void;
  onBegun: (enrolment: TotpEnrolment) => void;
}

function BeginForm({ factors, onClose, onBegun }: BeginFormProps) {
  const { t } = useLingui();
  const proof = useProof(factors, { isFirstFree: true });
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const given = await proof.collect();
      if (given) onBegun(await securityApi.beginTotp(given));
    } catch (error) {
      proof.refuse(error, t({ id: "security.totp.addFailed", message: "The app was not set up" }));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="security-form" onSubmit={(event) => void submit(event)} noValidate>
      <ProofFields proof={proof} />
      <FormActions
        isBusy={isBusy}
        isReady={proof.isReady}
        onCancel={onClose}
        label={<Trans id="security.continue">Continue</Trans>}
        busyLabel={<Trans id="security.continue">Continue</Trans>}
      />
    </form>
  );
}

interface ConfirmFormProps extends Omit<TotpDialogProps, "factors"> {
  enrolment: TotpEnrolment;
}

function ConfirmForm({ enrolment, onClose, onRecoveryCodes }: ConfirmFormProps) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const [digits, setDigits] = useState(emptyCode);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const code = digits.join("");

  const confirm = async () => {
    const { recoveryCodes } = await securityApi.confirmTotp(code);
    await refreshFactors(queryClient);
    showToast({ tone: "ok", title: t({ id: "security.totp.added", message: "Authenticator app set up" }) });
    onClose();
    if (recoveryCodes) onRecoveryCodes(recoveryCodes);
  };
  const submit = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const firstBox = event.currentTarget.querySelector<HTMLInputElement>(".code-box");
    setBusy(true);
    try {
      await confirm();
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure.message);
      setDigits(emptyCode);
      firstBox?.focus();
    } finally {
      setBusy(false);
    }
  };

  return (
    <form className="security-form" onSubmit={(event) => void submit(event)} noValidate>
      <div className="totp-secret">
        <img
          src={enrolment.qrCode}
          width={184}
          height={184}
          alt={t({ id: "security.totp.qr", message: "QR code for the authenticator app" })}
        />
        <TotpKey secret={enrolment.secret} />
      </div>
      <CodeField
        legend={t({ id: "auth.verify.legend", message: "Code of 6 digits" })}
        digits={digits}
        onDigitsChange={setDigits}
        invalid={error !== undefined && code === ""}
      />
      {error && (
        <p className="field-error" role="alert">
          <CircleAlertIcon small />
          {error}
        </p>
      )}
      <FormActions
        isBusy={isBusy}
        isReady={code.length === CODE_LENGTH}
        onCancel={onClose}
        label={<Trans id="security.totp.confirm">Confirm</Trans>}
        busyLabel={<Trans id="security.totp.confirm">Confirm</Trans>}
      />
    </form>
  );
}

/** The key in groups of four characters, for typing it, with a button that copies it. */
function TotpKey({ secret }: { secret: string }) {
  return (
    <div className="totp-key">
      <span className="field-label">
        <Trans id="security.totp.key">Key</Trans>
      </span>
      <code>{secret.match(/.{1,4}/g)?.join(" ")}</code>
      <CopyButton size="small" text={secret} />
    </div>
  );
}
