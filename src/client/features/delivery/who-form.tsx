import { Trans } from "@lingui/react/macro";
import { type FormEvent, useState } from "react";
import type { OpenedRequest } from "../../../shared/api/deliveries.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";

interface WhoFormProps {
  request: OpenedRequest;
  message?: string;
  isBusy: boolean;
  onBegin: (request: OpenedRequest, from: string) => void;
}

/** Asks who delivers, as the receipt and the owner's list will say. */
export function WhoForm({ request, message, isBusy, onBegin }: WhoFormProps) {
  const [from, setFrom] = useState(request.label);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (from.trim() !== "" && !isBusy) onBegin(request, from.trim());
  };
  return (
    <form className="panel delivery-who" onSubmit={submit} noValidate>
      <TextField
        label={<Trans id="delivery.from">Who delivers</Trans>}
        name="from"
        maxLength={200}
        autoComplete="organization"
        value={from}
        error={message}
        hint={<Trans id="delivery.from.hint">Shown on the receipt and in the recipient's list.</Trans>}
        onChange={({ target }) => setFrom(target.value)}
      />
      <Button type="submit" kind="lit" size="big" disabled={isBusy || from.trim() === ""}>
        {isBusy ? <Trans id="visit.opening">Opening…</Trans> : <Trans id="delivery.go">Continue</Trans>}
      </Button>
    </form>
  );
}
