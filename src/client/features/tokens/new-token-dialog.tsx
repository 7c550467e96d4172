import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useId, useState } from "react";
import type { MadeAccessToken } from "../../../shared/api/access-tokens.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { LifetimeChoice, USUAL_LIFETIME } from "./token-lifetime.tsx";
import { nameOfUse, scopesOfUse, type TokenUse, tokenUses } from "./token-uses.ts";
import { useMakeToken } from "./use-make-token.ts";

interface NewTokenDialogProps {
  onClose: () => void;
  onMade: (made: MadeAccessToken) => void;
}

/** Asks what a new token is for and how long it lives. */
export function NewTokenDialog({ onClose, onMade }: NewTokenDialogProps) {
  const [name, setName] = useState("");
  const [use, setUse] = useState<TokenUse>("read");
  const [days, setDays] = useState(USUAL_LIFETIME);
  const making = useMakeToken(onMade);
  return (
    <Dialog
      open
      hasCross
      onOpenChange={() => !making.isPending && onClose()}
      title={<Trans id="tokens.new">New token</Trans>}
    >
      <form
        className="security-form"
        onSubmit={(event) => {
          event.preventDefault();
          making.mutate({ name: name.trim(), scopes: scopesOfUse[use], days });
        }}
        noValidate
      >
        <TextField
          label={<Trans id="tokens.name">Name of the program</Trans>}
          name="name"
          required
          maxLength={60}
          autoComplete="off"
          value={name}
          error={making.error?.message}
          onChange={({ target }) => setName(target.value)}
        />
        <UseChoice use={use} onUse={setUse} />
        <LifetimeChoice days={days} onDays={setDays} />
        <p className="field-hint">
          {use === "api" ? (
            <Trans id="tokens.hint.api">
              No token changes passwords, tokens or devices, pays, or touches other accounts.
            </Trans>
          ) : (
            <Trans id="tokens.hint">
              This token deletes no exams, changes no password and shares nothing.
            </Trans>
          )}
        </p>
        <FormActions
          isBusy={making.isPending}
          isReady={name.trim() !== ""}
          onCancel={onClose}
          label={<Trans id="tokens.make">Create token</Trans>}
          busyLabel={<Trans id="tokens.making">Creating…</Trans>}
        />
      </form>
    </Dialog>
  );
}

function UseChoice({ use, onUse }: { use: TokenUse; onUse: (use: TokenUse) => void }) {
  const { i18n } = useLingui();
  const id = useId();
  const texts: Record<TokenUse, ReactNode> = {
    read: <Trans id="tokens.use.read.text">View and download. It changes nothing.</Trans>,
    write: <Trans id="tokens.use.write.text">It keeps new exams and does not see those that exist.</Trans>,
    both: <Trans id="tokens.use.both.text">View, download and keep new exams.</Trans>,
    api: <Trans id="tokens.use.api.text">Everything you do with exams here, deleting and sharing too.</Trans>,
  };
  return (
    <fieldset className="token-uses">
      <legend className="field-label">
        <Trans id="tokens.use">What it may do</Trans>
      </legend>
      {tokenUses.map((one) => (
        <div key={one}>
          <input
            type="radio"
            name="use"
            id={`${id}-${one}`}
            aria-labelledby={`${id}-${one}-name`}
            aria-describedby={`${id}-${one}-hint`}
            checked={use === one}
            onChange={() => onUse(one)}
          />
          <label htmlFor={`${id}-${one}`}>
            <span id={`${id}-${one}-name`}>{nameOfUse(i18n, one)}</span>
            <small id={`${id}-${one}-hint`}>{texts[one]}</small>
          </label>
        </div>
      ))}
    </fieldset>
  );
}
