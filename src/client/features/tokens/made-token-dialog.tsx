import { Trans, useLingui } from "@lingui/react/macro";
import type { RefObject } from "react";
import type { MadeAccessToken } from "../../../shared/api/access-tokens.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton, CopyIconButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useShownOnce } from "../../ui/shown-once.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { useStay } from "../places/use-stay.ts";
import { scopesText } from "./token-uses.ts";

interface MadeTokenDialogProps {
  made: MadeAccessToken;
  onClose: () => void;
  /** What gets the focus in the end. */
  returnTo: RefObject<Element | null>;
}

/** Shows a new token, once. Only its button closes it, so that no stray click and no Back loses the token. */
export function MadeTokenDialog({ made, onClose, returnTo }: MadeTokenDialogProps) {
  const { t, i18n } = useLingui();
  const once = useShownOnce(
    <Trans id="tokens.made.once">
      The token is shown only once. Copy it and keep it, then choose “I have copied it”.
    </Trans>,
  );
  useStay(true);
  const { name, token, scopes, expiresAt } = made;
  const address = `${location.origin}/dicomweb`;
  const day = expiresAt ? dayText(expiresAt) : undefined;
  return (
    <Dialog
      open
      returnTo={returnTo}
      onOpenChange={once.hold}
      title={<Trans id="tokens.made.title">Copy it now</Trans>}
      text={<Trans id="tokens.made.text">This is the token of {name}. It is not shown again.</Trans>}
    >
      <p className="token-copy">
        <code>{token}</code>
      </p>
      <CopyButton kind="lit" className="token-copy-button" text={token}>
        <Trans id="tokens.made.copy">Copy token</Trans>
      </CopyButton>
      {!scopes.includes("api") && (
        <>
          <p className="field-label">
            <Trans id="tokens.made.address">DICOMweb address</Trans>
          </p>
          <p className="token-copy">
            <code>{address}</code>
            <CopyIconButton
              text={address}
              label={t({ id: "tokens.made.copyAddress", message: "Copy address" })}
            />
          </p>
        </>
      )}
      {once.notice}
      <div className="dialog-actions">
        <p className="field-hint token-sum">
          {scopesText(i18n, scopes)}
          {day && (
            <>
              {", "}
              <Trans id="tokens.made.until">until {day}</Trans>
            </>
          )}
        </p>
        <Button onClick={onClose}>
          <Trans id="tokens.made.kept">I have copied it</Trans>
        </Button>
      </div>
    </Dialog>
  );
}
