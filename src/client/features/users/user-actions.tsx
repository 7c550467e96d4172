import { useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { IconButton } from "../../ui/button.tsx";
import { PencilIcon, ShieldOffIcon, TrashIcon } from "../../ui/icons.tsx";
import { useHis } from "../session/his-context.ts";
import { clearedUserSubject, deletedUserSubject, editedUserSubject } from "./use-users.ts";

export function UserActions({ user }: { user: CurrentUser }) {
  const { t } = useLingui();
  const ownId = useHis().user.id;
  const edit = useSetAtom(editedUserSubject.valueAtom);
  const askClearing = useSetAtom(clearedUserSubject.valueAtom);
  const askDeletion = useSetAtom(deletedUserSubject.valueAtom);
  const { name } = user;
  return (
    <span className="user-actions">
      <IconButton label={t({ id: "users.edit", message: `Edit ${name}` })} onClick={() => edit(user)}>
        <PencilIcon />
      </IconButton>
      {user.hasSecondFactor && user.id !== ownId && (
        <IconButton
          label={t({ id: "users.factors.clear", message: `Remove the second factor of ${name}` })}
          onClick={() => askClearing(user)}
        >
          <ShieldOffIcon />
        </IconButton>
      )}
      <IconButton
        destructive
        label={t({ id: "users.delete", message: `Delete ${name}` })}
        onClick={() => askDeletion(user)}
      >
        <TrashIcon />
      </IconButton>
    </span>
  );
}
