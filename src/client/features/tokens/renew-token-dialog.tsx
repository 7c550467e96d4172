import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { AccessToken, MadeAccessToken } from "../../../shared/api/access-tokens.ts";
import { serverNow } from "../../calls/server-clock.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { showToast } from "../../ui/toast.tsx";
import { LifetimeChoice, USUAL_LIFETIME } from "./token-lifetime.tsx";
import { useMakeToken } from "./use-make-token.ts";

interface RenewTokenDialogProps {
  /** One that expires, or has expired. */
  token: AccessToken;
  onClose: () => void;
  onMade: (made: MadeAccessToken) => void;
}

/** Makes a token that may do the same as an old one. That one goes on until it expires, so that the program misses nothing. */
export function RenewTokenDialog({ token, onClose, onMade }: RenewTokenDialogProps) {
  const { t } = useLingui();
  const { name, scopes, expiresAt } = token;
  const [days, setDays] = useState(USUAL_LIFETIME);
  const making = useMakeToken(onMade);
  const renew = () =>
    making.mutate(
      { name, scopes, days },
      {
        onError: ({ message }) =>
          showToast({
            tone: "bad",
            title: t({ id: "tokens.renewFailed", message: "The token was not renewed" }),
            text: message,
          }),
      },
    );
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= serverNow();
  const day = expiresAt && dayText(expiresAt);
  return (
    <Dialog
      open
      hasCross
      onOpenChange={() => !making.isPending && onClose()}
      title={<Trans id="tokens.renewTitle">Renew the token “{name}”</Trans>}
      text={
        isOver ? (
          <Trans id="tokens.renewText.over">
            The old one expired on {day}. You get a new token that may do the same; give it to the program.
          </Trans>
        ) : (
          <Trans id="tokens.renewText">
            You get a new token that may do the same. The old one is valid until {day}; give the program the
            new one by then.
          </Trans>
        )
      }
    >
      <form
        className="security-form"
        onSubmit={(event) => {
          event.preventDefault();
          renew();
        }}
      >
        <LifetimeChoice days={days} onDays={setDays} />
        <FormActions
          isBusy={making.isPending}
          onCancel={onClose}
          label={<Trans id="tokens.renewConfirm">Renew token</Trans>}
          busyLabel={<Trans id="tokens.renewing">Renewing…</Trans>}
        />
      </form>
    </Dialog>
  );
}
