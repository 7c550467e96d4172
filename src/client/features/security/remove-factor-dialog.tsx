import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Factors, Passkey } from "../../../shared/api/factors.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ProofFields } from "./proof-fields.tsx";
import { securityApi } from "./security-api.ts";
import { refreshFactors } from "./use-factors.ts";
import { useProof } from "./use-proof.ts";

interface RemoveFactorDialogProps {
  factors: Factors;
  /** The app without it. */
  passkey: Passkey | undefined;
  onClose: () => void;
}

/** Asks for the password and a factor before one goes. */
export function RemoveFactorDialog({ factors, passkey, onClose }: RemoveFactorDialogProps) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const proof = useProof(factors);
  const [isBusy, setBusy] = useState(false);
  const isLast = factors.passkeys.length + (factors.totp ? 1 : 0) === 1;
  const name = passkey?.name;

  const remove = async () => {
    setBusy(true);
    try {
      const given = await proof.collect();
      if (!given) return;
      await (passkey ? securityApi.removePasskey(passkey.id, given) : securityApi.removeTotp(given));
      await refreshFactors(queryClient);
      const title = passkey
        ? t({ id: "security.passkey.removed", message: "Passkey removed" })
        : t({ id: "security.totp.removed", message: "Authenticator app removed" });
      showToast({ tone: "ok", title });
      onClose();
    } catch (error) {
      proof.refuse(error, t({ id: "security.removeFailed", message: "Nothing was removed" }));
    } finally {
      setBusy(false);
    }
  };

  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && !isBusy && onClose()}
      title={
        passkey
          ? t({ id: "security.passkey.removeTitle", message: `Remove the passkey "${name}"?` })
          : t({ id: "security.totp.removeTitle", message: "Remove the authenticator app?" })
      }
      text={
        isLast ? (
          <Trans id="security.removeLast">
            It is your last one: the recovery codes go with it, and your password and mailbox alone open the
            account again.
          </Trans>
        ) : (
          <Trans id="security.removeText">It no longer opens your account. Your others go on.</Trans>
        )
      }
      confirmLabel={
        isBusy ? (
          <Trans id="security.removing">Removing…</Trans>
        ) : (
          <Trans id="security.removeConfirm">Remove</Trans>
        )
      }
      isReady={proof.isReady}
      busy={isBusy}
      onConfirm={() => void remove()}
    >
      <div className="security-form">
        <ProofFields proof={proof} />
      </div>
    </ConfirmDialog>
  );
}
