import { Trans } from "@lingui/react/macro";
import { Dropdown, DropdownItem, DropdownLabel, DropdownSeparator } from "../../ui/dropdown.tsx";
import { LogOutIcon } from "../../ui/icons.tsx";
import { useHis } from "./his-context.ts";
import { useSignOut } from "./use-sign-out.ts";

/** The picture of the signed-in person, or the initials. */
export function Avatar() {
  const { user } = useHis();
  if (user.profileImageUrl) return <img className="avatar" src={user.profileImageUrl} alt="" />;
  return <span className="avatar">{initials(user.name)}</span>;
}

export function AccountMenu() {
  const { user } = useHis();
  const signOut = useSignOut();
  const trigger = (
    <button type="button" className="avatar-button">
      <Avatar />
      <span className="sr-only">
        <Trans id="account.menu">Your account</Trans>
      </span>
    </button>
  );
  return (
    <Dropdown trigger={trigger}>
      <DropdownLabel>
        <b>{user.name}</b>
        {user.email}
      </DropdownLabel>
      <DropdownSeparator />
      <DropdownItem onSelect={() => void signOut()}>
        <LogOutIcon />
        <Trans id="action.logout">Log out</Trans>
      </DropdownItem>
    </Dropdown>
  );
}

function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const picked = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return picked
    .map((word) => [...(word ?? "")][0] ?? "")
    .join("")
    .toUpperCase();
}
