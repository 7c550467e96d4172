import { type ReactNode, useState } from "react";
import type { Factors, IdentityProof } from "../../../shared/api/factors.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { ProofFields } from "./proof-fields.tsx";
import { useProof } from "./use-proof.ts";

interface ProofDialogProps {
  factors: Factors;
  title: ReactNode;
  text: ReactNode;
  confirmLabel: ReactNode;
  busyLabel: ReactNode;
  /** What did not happen. */
  failedTitle: string;
  /** Does what the dialog asks about, once the person has proved who they are. */
  onProof: (proof: IdentityProof) => Promise<void>;
  onClose: () => void;
}

/** Asks for the password and a factor before something of the account's security is lost. */
export function ProofDialog(props: ProofDialogProps) {
  const { factors, title, text, confirmLabel, busyLabel, failedTitle, onProof, onClose } = props;
  const proof = useProof(factors);
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    try {
      const given = await proof.collect();
      if (given) await onProof(given);
    } catch (error) {
      proof.refuse(error, failedTitle);
    } finally {
      setBusy(false);
    }
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && !isBusy && onClose()}
      title={title}
      text={text}
      confirmLabel={isBusy ? busyLabel : confirmLabel}
      isReady={proof.isReady}
      busy={isBusy}
      onConfirm={() => void confirm()}
    >
      <div className="security-form">
        <ProofFields proof={proof} />
      </div>
    </ConfirmDialog>
  );
}
