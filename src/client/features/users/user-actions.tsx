import { useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { PencilIcon } from "../../ui/account-icons.tsx";
import { IconButton } from "../../ui/button.tsx";
import { TrashIcon } from "../../ui/icons.tsx";
import { askedUserAtom } from "./use-users.ts";

export function UserActions({ user }: { user: CurrentUser }) {
  const { t } = useLingui();
  const ask = useSetAtom(askedUserAtom);
  const { name } = user;
  return (
    <span className="user-actions">
      <IconButton
        label={t({ id: "users.edit", message: `Edit ${name}` })}
        onClick={() => ask({ question: "edit", user })}
      >
        <PencilIcon />
      </IconButton>
      <IconButton
        destructive
        label={t({ id: "users.delete", message: `Delete ${name}` })}
        onClick={() => ask({ question: "delete", user })}
      >
        <TrashIcon />
      </IconButton>
    </span>
  );
}
