import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useRef, useState } from "react";
import type { Factors, RecoveryCodesAnswer, TotpEnrolment } from "../../../shared/api/factors.ts";
import { ApiError } from "../../calls/api.ts";
import { CODE_LENGTH, CodeField, emptyCode } from "../../ui/code-field.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CircleAlertIcon } from "../../ui/entry-icons.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useOwnClose } from "../places/use-own-close.ts";
import { useStay } from "../places/use-stay.ts";
import { ProofFields } from "./proof-fields.tsx";
import { securityApi } from "./security-api.ts";
import { codesOf, factorsAfterLoss, type NewCodes, refreshFactors } from "./use-factors.ts";
import { useProof } from "./use-proof.ts";

interface TotpDialogProps {
  factors: Factors;
  onClose: () => void;
  /** Called if this is the account's first factor, which brings recovery codes. */
  onRecoveryCodes: (codes: NewCodes) => void;
}

/** Sets up an authenticator app: asks for a proof of identity, shows the QR code, then asks for the app's first code. */
export function TotpDialog({ factors, onClose, onRecoveryCodes }: TotpDialogProps) {
  const [enrolment, setEnrolment] = useState<TotpEnrolment>();
  const [isConfirming, setConfirming] = useState(false);
  useStay(isConfirming);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !isConfirming && onClose()}
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
        <ConfirmForm
          factors={factors}
          enrolment={enrolment}
          onClose={onClose}
          onRecoveryCodes={onRecoveryCodes}
          isBusy={isConfirming}
          onBusy={setConfirming}
        />
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

interface ConfirmFormProps extends TotpDialogProps {
  enrolment: TotpEnrolment;
  isBusy: boolean;
  onBusy: (isBusy: boolean) => void;
}

function ConfirmForm(props: ConfirmFormProps) {
  const { factors, enrolment, isBusy, onBusy, onClose, onRecoveryCodes } = props;
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const [digits, setDigits] = useState(emptyCode);
  const [error, setError] = useState<string>();
  const close = useOwnClose(onClose);
  const code = digits.join("");
  const wasLost = useRef(false);

  /** Undefined if the app is set up and the server's answer was lost. */
  const confirm = async (): Promise<RecoveryCodesAnswer | undefined> => {
    try {
      return await securityApi.confirmTotp(code);
    } catch (failure) {
      const now = await factorsAfterLoss(queryClient, failure);
      const status = failure instanceof ApiError ? failure.status : undefined;
      // Set up in another tab, the app has another key than the one that is shown here.
      const isOther = failure instanceof ApiError && failure.code === "totp.already_on" && !wasLost.current;
      if (now?.totp && !isOther) return undefined;
      wasLost.current ||= status === 0 || (status ?? 0) >= 500;
      throw failure;
    }
  };
  const submit = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const firstBox = event.currentTarget.querySelector<HTMLInputElement>(".code-box");
    onBusy(true);
    try {
      const codes = codesOf(await confirm(), factors);
      showToast({ tone: "ok", title: t({ id: "security.totp.added", message: "Authenticator app set up" }) });
      if (codes) return onRecoveryCodes(codes);
      await refreshFactors(queryClient);
      close();
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure.message);
      setDigits(emptyCode);
      firstBox?.focus();
    } finally {
      onBusy(false);
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
