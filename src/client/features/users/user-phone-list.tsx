import { Trans, useLingui } from "@lingui/react/macro";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { UserActions } from "./user-actions.tsx";
import { Expiry } from "./user-table.tsx";
import { dayText, roleName } from "./user-text.ts";

/** The accounts on a phone; undefined while they are being loaded. */
export function UserPhoneList({ users }: { users: CurrentUser[] | undefined }) {
  if (!users) {
    return (
      <div className="grid gap-3 p-4" aria-busy="true">
        <Skeleton shape="control" />
        <Skeleton shape="control" />
        <Skeleton shape="control" />
      </div>
    );
  }
  return (
    <ul className="phone-users">
      {users.map((user) => (
        <PhoneUser key={user.id} user={user} />
      ))}
    </ul>
  );
}

function PhoneUser({ user }: { user: CurrentUser }) {
  const { i18n } = useLingui();
  const { role, createdAt, expiresAt } = user;
  const created = dayText(createdAt);
  return (
    <li className="phone-user">
      <Avatar person={user} />
      <div className="phone-user-text">
        <b>{user.name}</b>
        <span>{user.email}</span>
        <span>
          {roleName(i18n, role)}
          {" · "}
          <Trans id="users.createdOn">created {created}</Trans>
          {" · "}
          <Trans id="users.expiresOn">
            expires <Expiry expiresAt={expiresAt} />
          </Trans>
        </span>
      </div>
      <div className="phone-user-actions">
        <StatusBadge user={user} />
        <UserActions user={user} />
      </div>
    </li>
  );
}
