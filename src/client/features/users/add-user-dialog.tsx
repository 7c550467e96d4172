import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import * as z from "zod/mini";
import { newUserSchema, roleSchema } from "../../../shared/api/users.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormActions } from "../../ui/form-actions.tsx";
import { showFormFailure } from "../../ui/form-failure.ts";
import { showToast } from "../../ui/toast.tsx";
import { useOwnClose } from "../places/use-own-close.ts";
import { useStay } from "../places/use-stay.ts";
import { type Invitation, InvitationLink } from "./invitation-link.tsx";
import { USERS_AND_SELF } from "./use-users.ts";
import { AccountFields } from "./user-fields.tsx";
import { usersApi } from "./users-api.ts";

const formSchema = z.extend(newUserSchema, { role: roleSchema });
type Values = z.infer<typeof formSchema>;

interface AddUserDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Creates an account for somebody. If no mail is sent, it shows the invitation link to hand over. */
export function AddUserDialog({ open, onOpenChange }: AddUserDialogProps) {
  const [invitation, setInvitation] = useState<Invitation>();
  useStay(invitation !== undefined);
  const close = () => {
    onOpenChange(false);
    setInvitation(undefined);
  };
  const text = invitation ? undefined : (
    <Trans id="users.add.text">The person receives a link to choose a password.</Trans>
  );
  return (
    <Dialog
      open={open || invitation !== undefined}
      // The invitation is shown only once, so only its button closes it, not a click outside.
      onOpenChange={(next) => {
        if (!next && !invitation) close();
      }}
      title={invitation ? <Trans id="users.added">User added</Trans> : <Trans id="users.add">Add user</Trans>}
      text={text}
    >
      {invitation ? (
        <InvitationLink invitation={invitation} onClose={close} />
      ) : (
        <AddUserForm onAdded={setInvitation} onClose={close} />
      )}
    </Dialog>
  );
}

interface AddUserFormProps {
  onAdded: (invitation: Invitation) => void;
  onClose: () => void;
}

function AddUserForm({ onAdded, onClose }: AddUserFormProps) {
  const { t } = useLingui();
  const { control, handleSubmit, setError, formState } = useForm<Values>({
    resolver: standardSchemaResolver(formSchema),
    defaultValues: { name: "", email: "", role: "user" },
  });
  const { isSubmitting } = formState;
  useStay(isSubmitting);
  const close = useOwnClose(onClose);

  const { mutateAsync } = useMutation({
    // If the answer got lost, an account may be there that nobody has seen.
    meta: { changes: USERS_AND_SELF },
    mutationFn: (values: Values) => usersApi.add(values),
    // Without waiting for the list: the link is shown only once.
    onSuccess: ({ user, invitationUrl }) => {
      if (invitationUrl) return onAdded({ url: invitationUrl, name: user.name });
      showToast({ tone: "ok", title: t({ id: "users.added", message: "User added" }), text: user.email });
      close();
    },
  });

  const submit = handleSubmit(async (values) => {
    try {
      await mutateAsync(values);
    } catch (error) {
      showFormFailure(error, {
        setError,
        fields: ["name", "email"],
        fieldOfCode: { "auth.email_taken": "email" },
        title: t({ id: "users.addFailed", message: "Failed to add user" }),
      });
    }
  });

  return (
    <form className="user-form" onSubmit={submit} noValidate>
      <AccountFields control={control} />
      <FormActions
        isBusy={isSubmitting}
        onCancel={onClose}
        label={<Trans id="users.add.submit">Add</Trans>}
        busyLabel={<Trans id="users.adding">Adding…</Trans>}
      />
    </form>
  );
}
