import { Trans } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { Avatar } from "../../ui/avatar.tsx";
import { Dropdown, DropdownItem, DropdownLabel, DropdownSeparator } from "../../ui/dropdown.tsx";
import { LogOutIcon, SlidersIcon, UserIcon } from "../../ui/icons.tsx";
import { viewAtom } from "../places/views.ts";
import { useHis } from "../session/his-context.ts";
import { useCarefulSignOut } from "./sign-out-asked.ts";

export function AccountMenu() {
  const { user } = useHis();
  const setView = useSetAtom(viewAtom);
  const signOut = useCarefulSignOut();
  const trigger = (
    <button type="button" className="avatar-button">
      <Avatar person={user} />
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
      <DropdownItem onSelect={() => setView("profile")}>
        <UserIcon />
        <Trans id="account.profile">Profile</Trans>
      </DropdownItem>
      <DropdownItem onSelect={() => setView("profile")}>
        <SlidersIcon />
        <Trans id="account.settings">Settings</Trans>
      </DropdownItem>
      <DropdownSeparator />
      <DropdownItem onSelect={signOut}>
        <LogOutIcon />
        <Trans id="action.logout">Log out</Trans>
      </DropdownItem>
    </Dropdown>
  );
}
