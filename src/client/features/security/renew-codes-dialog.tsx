import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Factors } from "../../../shared/api/factors.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { ProofFields } from "./proof-fields.tsx";
import { securityApi } from "./security-api.ts";
import { refreshFactors } from "./use-factors.ts";
import { useProof } from "./use-proof.ts";

interface RenewCodesDialogProps {
  factors: Factors;
  onClose: () => void;
  onRecoveryCodes: (codes: string[]) => void;
}

/** Asks before the former recovery codes die. */
export function RenewCodesDialog({ factors, onClose, onRecoveryCodes }: RenewCodesDialogProps) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const proof = useProof(factors);
  const [isBusy, setBusy] = useState(false);
  const renew = async () => {
    setBusy(true);
    try {
      const given = await proof.collect();
      if (!given) return;
      const { recoveryCodes } = await securityApi.renewRecoveryCodes(given);
      await refreshFactors(queryClient);
      onClose();
      onRecoveryCodes(recoveryCodes ?? []);
    } catch (error) {
      proof.refuse(error, t({ id: "security.codes.renewFailed", message: "No new codes were made" }));
    } finally {
      setBusy(false);
    }
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && !isBusy && onClose()}
      title={<Trans id="security.codes.renewTitle">Make new recovery codes?</Trans>}
      text={<Trans id="security.codes.renewText">The codes you have now stop working at once.</Trans>}
      confirmLabel={<Trans id="security.codes.renew">Make new codes</Trans>}
      isReady={proof.isReady}
      busy={isBusy}
      onConfirm={() => void renew()}
    >
      <div className="security-form">
        <ProofFields proof={proof} />
      </div>
    </ConfirmDialog>
  );
}
