import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Passkey } from "../../../shared/api/factors.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useOwnClose } from "../places/use-own-close.ts";
import { securityApi } from "./security-api.ts";
import { refreshFactors } from "./use-factors.ts";

export function RenamePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { t } = useLingui();
  const queryClient = useQueryClient();
  const close = useOwnClose(onClose);
  const [name, setName] = useState(passkey.name);
  const renaming = useMutation({
    mutationFn: () => securityApi.renamePasskey(passkey.id, name.trim()),
    onSuccess: async () => {
      await refreshFactors(queryClient);
      close();
    },
    onError: (error) => {
      const title = t({ id: "security.passkey.renameFailed", message: "The passkey was not renamed" });
      showToast({ tone: "bad", title, text: error.message });
    },
  });
  return (
    <Dialog
      open
      onOpenChange={() => !renaming.isPending && onClose()}
      title={<Trans id="security.passkey.rename">Rename passkey</Trans>}
    >
      <form
        className="security-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "") renaming.mutate();
        }}
        noValidate
      >
        <TextField
          label={<Trans id="security.passkey.name">Name</Trans>}
          name="name"
          maxLength={60}
          autoComplete="off"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <FormActions isBusy={renaming.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
