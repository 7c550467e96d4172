import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import type { Factors, IdentityProof } from "../../../shared/api/factors.ts";
import { ProofDialog } from "./proof-dialog.tsx";
import { securityApi } from "./security-api.ts";
import { refreshFactors } from "./use-factors.ts";

interface RenewCodesDialogProps {
  factors: Factors;
  onClose: () => void;
  onRecoveryCodes: (codes: string[]) => void;
}

/** Asks before new recovery codes replace the former ones. */
export function RenewCodesDialog({ factors, onClose, onRecoveryCodes }: RenewCodesDialogProps) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const renew = async (proof: IdentityProof) => {
    const { recoveryCodes } = await securityApi.renewRecoveryCodes(proof);
    await refreshFactors(queryClient);
    onClose();
    onRecoveryCodes(recoveryCodes ?? []);
  };
  const label = <Trans id="security.codes.renew">Make new codes</Trans>;
  return (
    <ProofDialog
      factors={factors}
      title={<Trans id="security.codes.renewTitle">Make new recovery codes?</Trans>}
      text={<Trans id="security.codes.renewText">The codes you have now stop working at once.</Trans>}
      confirmLabel={label}
      busyLabel={label}
      failedTitle={t({ id: "security.codes.renewFailed", message: "No new codes were made" })}
      onProof={renew}
      onClose={onClose}
    />
  );
}
