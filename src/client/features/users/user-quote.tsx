import type { CurrentUser } from "../../../shared/api/users.ts";
import { Avatar } from "../../ui/avatar.tsx";

/** The account that a question is about. */
export function UserQuote({ user }: { user: CurrentUser }) {
  return (
    <div className="quote">
      <Avatar person={user} />
      <div className="user-quote">
        <b>{user.name}</b>
        <span>{user.email}</span>
      </div>
    </div>
  );
}
