import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useState } from "react";
import type { Factors, PasskeyAttestation, RecoveryCodesAnswer } from "../../../shared/api/factors.ts";
import { deviceName } from "../../../shared/rules/device.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useOwnClose } from "../places/use-own-close.ts";
import { useStay } from "../places/use-stay.ts";
import { makePasskey } from "./passkey-browser.ts";
import { ProofFields } from "./proof-fields.tsx";
import { securityApi } from "./security-api.ts";
import { codesOf, factorsAfterLoss, type NewCodes, refreshFactors } from "./use-factors.ts";
import { useProof } from "./use-proof.ts";

interface AddPasskeyDialogProps {
  factors: Factors;
  onClose: () => void;
  /** With the account's first factor. */
  onRecoveryCodes: (codes: NewCodes) => void;
}

/** Names a passkey and has the browser make it. */
export function AddPasskeyDialog({ factors, onClose, onRecoveryCodes }: AddPasskeyDialogProps) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const proof = useProof(factors, { isFirstFree: true });
  const [name, setName] = useState(() => deviceName(navigator.userAgent));
  const [step, setStep] = useState<"asking" | "adding">();
  const isBusy = step !== undefined;
  useStay(step === "adding");
  const close = useOwnClose(onClose);

  const ask = async () => {
    const given = await proof.collect();
    return given && (await makePasskey(await securityApi.registrationOptions(given)));
  };
  /** Undefined if the server added it and its answer was lost. */
  const add = async (response: PasskeyAttestation): Promise<RecoveryCodesAnswer | undefined> => {
    try {
      return await securityApi.addPasskey({ name: name.trim(), response });
    } catch (error) {
      const now = await factorsAfterLoss(queryClient, error);
      if (!now || now.passkeys.length === factors.passkeys.length) throw error;
      return undefined;
    }
  };
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    setStep("asking");
    try {
      const response = await ask();
      if (!response) return;
      setStep("adding");
      const codes = codesOf(await add(response), factors);
      const title = t({ id: "security.passkey.added", message: "Passkey added" });
      showToast({ tone: "ok", title, text: name });
      if (codes) return onRecoveryCodes(codes);
      await refreshFactors(queryClient);
      close();
    } catch (error) {
      proof.refuse(error, t({ id: "security.passkey.addFailed", message: "The passkey was not added" }));
    } finally {
      setStep(undefined);
    }
  };

  return (
    <Dialog
      open
      onOpenChange={() => !isBusy && onClose()}
      title={<Trans id="security.passkey.add">Add passkey</Trans>}
      text={
        <Trans id="security.passkey.addText">
          Your browser asks for your fingerprint, face or device PIN and keeps the key. Afterwards it logs you
          in without a password.
        </Trans>
      }
    >
      <form className="security-form" onSubmit={(event) => void submit(event)} noValidate>
        <TextField
          label={<Trans id="security.passkey.name">Name</Trans>}
          name="name"
          maxLength={60}
          autoComplete="off"
          hint={
            <Trans id="security.passkey.nameHint">So that you know it again, for example your phone.</Trans>
          }
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <ProofFields proof={proof} />
        <FormActions
          isBusy={isBusy}
          isReady={name.trim() !== "" && proof.isReady}
          onCancel={onClose}
          label={<Trans id="security.continue">Continue</Trans>}
          busyLabel={<Trans id="security.waiting">Waiting…</Trans>}
        />
      </form>
    </Dialog>
  );
}
