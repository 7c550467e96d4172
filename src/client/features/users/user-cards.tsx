import { Trans, useLingui } from "@lingui/react/macro";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { CardsSkeleton } from "../../ui/skeleton.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { StatusBadge } from "./status-badge.tsx";
import { UserActions } from "./user-actions.tsx";
import { Expiry } from "./user-table.tsx";
import { roleName } from "./user-text.ts";

/** The accounts as a stack of cards, if a table does not fit; undefined while they are being loaded. */
export function UserCards({ users, isReading }: { users: CurrentUser[] | undefined; isReading: boolean }) {
  if (!users) return <CardsSkeleton />;
  return (
    <ul className={`user-cards ${isReading ? "is-reading" : ""}`} aria-busy={isReading}>
      {users.map((user) => (
        <UserCard key={user.id} user={user} />
      ))}
    </ul>
  );
}

function UserCard({ user }: { user: CurrentUser }) {
  const { i18n } = useLingui();
  const { role, createdAt, expiresAt } = user;
  const created = dayText(createdAt);
  return (
    <li className="user-card">
      <Avatar person={user} />
      <div className="user-card-text">
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
      <div className="user-card-actions">
        <StatusBadge user={user} />
        <UserActions user={user} />
      </div>
    </li>
  );
}
