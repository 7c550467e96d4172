import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { showToast } from "../../ui/toast.tsx";
import { receiversApi, refreshReceivers } from "./receivers-api.ts";

/** Asks for the AE title of a new receiver, and who may send to it. */
export function NewReceiverDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const [aeTitle, setTitle] = useState("");
  const [senders, setSenders] = useState("");
  const [addresses, setAddresses] = useState("");
  const making = useMutation({
    mutationFn: () =>
      receiversApi.make({ aeTitle, callingAETitles: listOf(senders), addresses: listOf(addresses) }),
    onSuccess: async () => {
      await refreshReceivers(queryClient);
      showToast({ tone: "ok", title: t({ id: "receivers.made", message: "Receiver created" }) });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    making.mutate();
  };
  return (
    <Dialog
      open
      onOpenChange={() => !making.isPending && onClose()}
      title={<Trans id="receivers.new">New receiver</Trans>}
    >
      <form className="security-form" onSubmit={submit} noValidate>
        <TextField
          label={<Trans id="receivers.aeTitle">AE title</Trans>}
          name="aeTitle"
          maxLength={16}
          autoComplete="off"
          autoCapitalize="characters"
          value={aeTitle}
          error={making.error?.message}
          hint={
            <Trans id="receivers.aeTitle.hint">
              The name to which the machine sends: up to 16 letters without accents.
            </Trans>
          }
          onChange={({ target }) => setTitle(target.value)}
        />
        <TextField
          label={<Trans id="receivers.senders">AE titles that may send</Trans>}
          name="callingAETitles"
          autoComplete="off"
          value={senders}
          hint={<Trans id="receivers.senders.hint">Separated by commas. Empty: any.</Trans>}
          onChange={({ target }) => setSenders(target.value)}
        />
        <TextField
          label={<Trans id="receivers.addresses">Addresses that may send</Trans>}
          name="addresses"
          autoComplete="off"
          value={addresses}
          hint={<Trans id="receivers.addresses.hint">Such as 200.1.2.3 or 10.0.0.0/8. Empty: any.</Trans>}
          onChange={({ target }) => setAddresses(target.value)}
        />
        <FormActions
          isBusy={making.isPending}
          isReady={aeTitle.trim() !== ""}
          onCancel={onClose}
          label={<Trans id="receivers.make">Create receiver</Trans>}
          busyLabel={<Trans id="receivers.making">Creating…</Trans>}
        />
      </form>
    </Dialog>
  );
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
