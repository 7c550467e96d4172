import { Trans, useLingui } from "@lingui/react/macro";
import type { CurrentUser } from "../../../shared/api/users.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { UserActions } from "./user-actions.tsx";
import { dayText, roleName } from "./user-text.ts";

const SKELETON_ROWS = [1, 2, 3, 4];
const columns = [
  <Trans key="user" id="users.user">
    User
  </Trans>,
  <Trans key="email" id="auth.email">
    E-mail
  </Trans>,
  <Trans key="role" id="users.role">
    Role
  </Trans>,
  <Trans key="status" id="users.status">
    Status
  </Trans>,
  <Trans key="created" id="users.created">
    Created
  </Trans>,
  <Trans key="expires" id="users.expires">
    Expires
  </Trans>,
  <Trans key="actions" id="users.actions">
    Actions
  </Trans>,
];

/** The accounts on a desk; undefined while they are being loaded. */
export function UserTable({ users }: { users: CurrentUser[] | undefined }) {
  return (
    <div className="user-table-wrap">
      <table className="user-table" aria-busy={users === undefined}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {users
            ? users.map((user) => <UserRow key={user.id} user={user} />)
            : SKELETON_ROWS.map((row) => <SkeletonRow key={row} />)}
        </tbody>
      </table>
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
      <td className="user-email" title={user.email}>
        {user.email}
      </td>
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

/** When a subscription ends. */
export function Expiry({ expiresAt }: Pick<CurrentUser, "expiresAt">) {
  if (expiresAt === null) return <Trans id="users.never">never</Trans>;
  const isOver = new Date(expiresAt) <= new Date();
  return (
    <time dateTime={expiresAt} className={isOver ? "user-expired" : ""}>
      {dayText(expiresAt)}
    </time>
  );
}

function SkeletonRow() {
  return (
    <tr>
      {columns.map((column) => (
        <td key={column.key}>
          <Skeleton className="w-24" />
        </td>
      ))}
    </tr>
  );
}
