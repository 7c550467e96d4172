import { Trans, useLingui } from "@lingui/react/macro";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { serverNow } from "../../calls/server-clock.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { StatusBadge } from "./status-badge.tsx";
import { UserActions } from "./user-actions.tsx";
import { roleName } from "./user-text.ts";

const columns: DataColumn[] = [
  { key: "user", name: <Trans id="users.user">User</Trans> },
  { key: "email", name: <Trans id="auth.email">E-mail</Trans> },
  { key: "role", name: <Trans id="users.role">Role</Trans> },
  { key: "status", name: <Trans id="users.status">Status</Trans> },
  { key: "created", name: <Trans id="users.created">Created</Trans> },
  { key: "expires", name: <Trans id="users.expires">Expires</Trans> },
  { key: "actions", name: <Trans id="users.actions">Actions</Trans> },
];

/** The accounts on a desktop; undefined while they are being loaded. */
export function UserTable({ users, isReading }: { users: CurrentUser[] | undefined; isReading: boolean }) {
  return (
    <div className="user-table-wrap">
      <DataTable className="user-table" columns={columns} rows={users} isReading={isReading}>
        {(user) => <UserRow key={user.id} user={user} />}
      </DataTable>
    </div>
  );
}

function UserRow({ user }: { user: CurrentUser }) {
  const { i18n } = useLingui();
  return (
    <tr>
      <th scope="row">
        <span className="user-name">
          <Avatar person={user} />
          <span>{user.name}</span>
        </span>
      </th>
      <td className="user-email">{user.email}</td>
      <td>{roleName(i18n, user.role)}</td>
      <td>
        <StatusBadge user={user} />
      </td>
      <td>
        <time dateTime={user.createdAt}>{dayText(user.createdAt)}</time>
      </td>
      <td>
        <Expiry expiresAt={user.expiresAt} />
      </td>
      <td>
        <UserActions user={user} />
      </td>
    </tr>
  );
}

/** The end of a subscription. */
export function Expiry({ expiresAt }: Pick<CurrentUser, "expiresAt">) {
  if (expiresAt === null) return <Trans id="users.never">never</Trans>;
  const isOver = Date.parse(expiresAt) <= serverNow();
  return (
    <time dateTime={expiresAt} className={isOver ? "user-expired" : ""}>
      {dayText(expiresAt)}
    </time>
  );
}
