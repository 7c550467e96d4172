import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type FieldError, useForm } from "react-hook-form";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { showFormFailure } from "../../ui/form-failure.ts";
import { showToast } from "../../ui/toast.tsx";
import { useOwnClose } from "../places/use-own-close.ts";
import { receiversApi, refreshReceivers } from "./receivers-api.ts";

/** The lists as the person writes them: separated by commas. */
interface Values {
  aeTitle: string;
  callingAETitles: string;
  addresses: string;
}

/** Asks for the AE title of a new receiver, and who may send to it. */
export function NewReceiverDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const close = useOwnClose(onClose);
  const { register, handleSubmit, setError, watch, formState } = useForm<Values>({
    defaultValues: { aeTitle: "", callingAETitles: "", addresses: "" },
  });
  const { errors, isSubmitting } = formState;

  const submit = handleSubmit(async ({ aeTitle, callingAETitles, addresses }) => {
    try {
      await receiversApi.make({
        aeTitle,
        callingAETitles: listOf(callingAETitles),
        addresses: listOf(addresses),
      });
    } catch (error) {
      // If the answer got lost, the receiver may be there.
      void refreshReceivers(queryClient);
      return showFormFailure(error, {
        setError,
        fields: ["aeTitle", "callingAETitles", "addresses"],
        fieldOfCode: { "receiver.title_taken": "aeTitle" },
        title: t({ id: "receivers.makeFailed", message: "The receiver was not created" }),
      });
    }
    await refreshReceivers(queryClient);
    showToast({ tone: "ok", title: t({ id: "receivers.made", message: "Receiver created" }) });
    close();
  });

  return (
    <Dialog
      open
      onOpenChange={() => !isSubmitting && onClose()}
      title={<Trans id="receivers.new">New receiver</Trans>}
    >
      <form className="security-form" onSubmit={submit} noValidate>
        <TextField
          label={<Trans id="receivers.aeTitle">AE title</Trans>}
          maxLength={16}
          autoComplete="off"
          autoCapitalize="characters"
          {...noteOf(
            errors.aeTitle,
            <Trans id="receivers.aeTitle.hint">
              The name to which the machine sends: up to 16 characters without accents.
            </Trans>,
          )}
          {...register("aeTitle")}
        />
        <TextField
          label={<Trans id="receivers.senders">AE titles that may send</Trans>}
          autoComplete="off"
          {...noteOf(
            errors.callingAETitles,
            <Trans id="receivers.senders.hint">Separated by commas. Empty: any.</Trans>,
          )}
          {...register("callingAETitles")}
        />
        <TextField
          label={<Trans id="receivers.addresses">Addresses that may send</Trans>}
          autoComplete="off"
          {...noteOf(
            errors.addresses,
            <Trans id="receivers.addresses.hint">Such as 200.1.2.3 or 10.0.0.0/8. Empty: any.</Trans>,
          )}
          {...register("addresses")}
        />
        <FormActions
          isBusy={isSubmitting}
          isReady={watch("aeTitle").trim() !== ""}
          onCancel={onClose}
          label={<Trans id="receivers.make">Create receiver</Trans>}
          busyLabel={<Trans id="receivers.making">Creating…</Trans>}
        />
      </form>
    </Dialog>
  );
}

/** Below a field: what it takes, also where what is in it was refused. */
function noteOf(refusal: FieldError | undefined, hint: ReactNode): { error?: ReactNode; hint?: ReactNode } {
  if (!refusal) return { hint };
  return {
    error: (
      <span>
        {refusal.message}
        <span className="field-hint block">{hint}</span>
      </span>
    ),
  };
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
