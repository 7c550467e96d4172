import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Factors, IdentityProof } from "../../../shared/api/factors.ts";
import { useStay } from "../places/use-stay.ts";
import { ProofDialog } from "./proof-dialog.tsx";
import { securityApi } from "./security-api.ts";
import { factorsAfterLoss } from "./use-factors.ts";

interface RenewCodesDialogProps {
  factors: Factors;
  onClose: () => void;
  onRecoveryCodes: (codes: string[]) => void;
}

/** Asks before new recovery codes replace the former ones. */
export function RenewCodesDialog({ factors, onClose, onRecoveryCodes }: RenewCodesDialogProps) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const [isRenewing, setRenewing] = useState(false);
  useStay(isRenewing);
  const renew = async (proof: IdentityProof) => {
    setRenewing(true);
    try {
      onRecoveryCodes((await securityApi.renewRecoveryCodes(proof)).recoveryCodes ?? []);
    } catch (error) {
      // Another tab may have removed the last factor, and the codes with it.
      await factorsAfterLoss(queryClient, error);
      throw error;
    } finally {
      setRenewing(false);
    }
  };
  const label = <Trans id="security.codes.renew">Make new codes</Trans>;
  return (
    <ProofDialog
      factors={factors}
      title={<Trans id="security.codes.renewTitle">Make new recovery codes?</Trans>}
      text={<Trans id="security.codes.renewText">The codes you have now stop working at once.</Trans>}
      confirmLabel={label}
      busyLabel={label}
      failedTitle={t({ id: "security.codes.renewFailed", message: "The new codes did not arrive" })}
      onProof={renew}
      onClose={onClose}
    />
  );
}
