import type { Factors } from "../../../shared/api/factors.ts";
import { AddPasskeyDialog } from "./add-passkey-dialog.tsx";
import { RemoveFactorDialog } from "./remove-factor-dialog.tsx";
import { RenamePasskeyDialog } from "./rename-passkey-dialog.tsx";
import { RenewCodesDialog } from "./renew-codes-dialog.tsx";
import { TotpDialog } from "./totp-dialog.tsx";
import type { NewCodes } from "./use-factors.ts";

export const questions = [
  "add-passkey",
  "add-totp",
  "remove-totp",
  "renew-codes",
  "rename",
  "remove",
] as const;

/** A question about the account's security; `passkeyId` only for questions about one passkey. */
export interface SecurityQuestion {
  question: (typeof questions)[number];
  passkeyId?: string;
}

interface QuestionProps {
  asked: SecurityQuestion;
  factors: Factors;
  onClose: () => void;
  onRecoveryCodes: (codes: NewCodes) => void;
}

/** The dialog of a question. */
export function Question({ asked, ...props }: QuestionProps) {
  const { factors } = props;
  const passkey = factors.passkeys.find(({ id }) => id === asked.passkeyId);
  switch (asked.question) {
    case "add-passkey":
      return <AddPasskeyDialog {...props} />;
    case "add-totp":
      return <TotpDialog {...props} />;
    case "renew-codes":
      return <RenewCodesDialog {...props} />;
    case "remove-totp":
      return factors.totp && <RemoveFactorDialog {...props} passkey={undefined} />;
    case "remove":
      return passkey && <RemoveFactorDialog {...props} passkey={passkey} />;
    case "rename":
      return passkey && <RenamePasskeyDialog passkey={passkey} onClose={props.onClose} />;
  }
}
