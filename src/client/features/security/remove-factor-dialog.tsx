import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import type { Factors, IdentityProof, Passkey } from "../../../shared/api/factors.ts";
import { showToast } from "../../ui/toast.tsx";
import { useOwnClose } from "../places/use-own-close.ts";
import { ProofDialog } from "./proof-dialog.tsx";
import { securityApi } from "./security-api.ts";
import { factorsAfterLoss, refreshFactors } from "./use-factors.ts";

interface RemoveFactorDialogProps {
  factors: Factors;
  /** Undefined for the authenticator app. */
  passkey: Passkey | undefined;
  onClose: () => void;
}

/** Asks before a passkey or the authenticator app is removed. */
export function RemoveFactorDialog({ factors, passkey, onClose }: RemoveFactorDialogProps) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const isLast = factors.passkeys.length + (factors.totp ? 1 : 0) === 1;
  const name = passkey?.name;

  const close = useOwnClose(onClose);
  const isGone = ({ passkeys, totp }: Factors) =>
    passkey ? passkeys.every(({ id }) => id !== passkey.id) : totp === null;

  const remove = async (proof: IdentityProof) => {
    try {
      await (passkey ? securityApi.removePasskey(passkey.id, proof) : securityApi.removeTotp(proof));
      await refreshFactors(queryClient);
    } catch (error) {
      const now = await factorsAfterLoss(queryClient, error);
      if (!now || !isGone(now)) throw error;
    }
    const title = passkey
      ? t({ id: "security.passkey.removed", message: "Passkey removed" })
      : t({ id: "security.totp.removed", message: "Authenticator app removed" });
    showToast({ tone: "ok", title });
    close();
  };

  return (
    <ProofDialog
      factors={factors}
      title={
        passkey
          ? t({ id: "security.passkey.removeTitle", message: `Remove the passkey “${name}”?` })
          : t({ id: "security.totp.removeTitle", message: "Remove the authenticator app?" })
      }
      text={
        isLast ? (
          <Trans id="security.removeLast">
            It is your last one: the recovery codes go with it, and your password and mailbox alone open the
            account again.
          </Trans>
        ) : (
          <Trans id="security.removeText">It no longer opens your account. Your others keep working.</Trans>
        )
      }
      confirmLabel={<Trans id="security.removeConfirm">Remove</Trans>}
      busyLabel={<Trans id="security.removing">Removing…</Trans>}
      failedTitle={t({ id: "security.removeFailed", message: "Nothing was removed" })}
      onProof={remove}
      onClose={onClose}
    />
  );
}
