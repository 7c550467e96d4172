import { Trans, useLingui } from "@lingui/react/macro";
import { useAtom, useSetAtom } from "jotai";
import { Dialog as RadixDialog } from "radix-ui";
import { useRef } from "react";
import { Avatar } from "../../ui/avatar.tsx";
import { Brand } from "../../ui/brand.tsx";
import { LogOutIcon, MenuIcon, UserIcon } from "../../ui/icons.tsx";
import { openAtom, viewAtom } from "../places/views.ts";
import { LanguageSwitch } from "../preferences/language-switch.tsx";
import { ThemeSwitch } from "../preferences/theme-switch.tsx";
import { useHis } from "../session/his-context.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Bell } from "./bell.tsx";
import { menuButtonProps, useMenu } from "./menu-items.tsx";
import { signOutAskedAtom } from "./sign-out-asked.ts";

const isDrawerOpenAtom = openAtom("menu");

/** The bar above the view on a phone. */
export function PhoneBar() {
  const { productName } = useHis();
  return (
    <header className="phone-bar">
      <Brand productName={productName} />
      <Bell />
      <ThemeSwitch />
      <AccountMenu />
    </header>
  );
}

/** The tabs within the thumb's reach; the last one opens the drawer with the whole menu. */
export function PhoneTabs() {
  const { t } = useLingui();
  const tabs = useMenu().filter(({ shortLabel }) => shortLabel !== undefined);
  return (
    <nav className="phone-tabs" aria-label={t({ id: "menu.shortcuts", message: "Shortcuts" })}>
      {tabs.map((entry) => (
        <button key={entry.view} className="phone-tab" {...menuButtonProps(entry)}>
          <entry.icon />
          {entry.shortLabel}
        </button>
      ))}
      <Drawer />
    </nav>
  );
}

function Drawer() {
  const { t } = useLingui();
  const menu = useMenu();
  const askSignOut = useSetAtom(signOutAskedAtom);
  const [view, setView] = useAtom(viewAtom);
  const [open, setOpen] = useAtom(isDrawerOpenAtom);
  const leadsOn = useRef(false);
  const closeFor = () => {
    leadsOn.current = true;
    setOpen(false);
  };
  return (
    <RadixDialog.Root open={open} onOpenChange={setOpen}>
      <RadixDialog.Trigger className="phone-tab">
        <MenuIcon />
        <Trans id="menu.title">Menu</Trans>
      </RadixDialog.Trigger>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="scrim">
          <RadixDialog.Content
            className="drawer"
            aria-describedby={undefined}
            onCloseAutoFocus={(event) => {
              if (!leadsOn.current) return;
              leadsOn.current = false;
              // The view that was chosen, not the button that had opened the menu.
              event.preventDefault();
              document.getElementById("view")?.focus({ preventScroll: true });
            }}
          >
            <RadixDialog.Title className="sr-only">
              <Trans id="menu.title">Menu</Trans>
            </RadixDialog.Title>
            <nav aria-label={t({ id: "menu.main", message: "Main menu" })}>
              {menu.map((entry) => (
                <button
                  key={entry.view}
                  className="nav"
                  {...menuButtonProps(entry)}
                  onClick={() => {
                    entry.open();
                    if (entry.isEnabled) closeFor();
                  }}
                >
                  <entry.icon />
                  {entry.label}
                </button>
              ))}
            </nav>
            <hr />
            <button
              type="button"
              className="nav"
              aria-current={view === "profile" ? "page" : undefined}
              onClick={() => {
                setView("profile");
                closeFor();
              }}
            >
              <UserIcon />
              <Trans id="account.profile">Profile</Trans>
            </button>
            <button type="button" className="nav" onClick={() => askSignOut(true)}>
              <LogOutIcon />
              <Trans id="action.logout">Log out</Trans>
            </button>
            <div className="drawer-row">
              <Trans id="menu.languageAndTheme">Language and theme</Trans>
              <div className="flex items-center gap-2">
                <LanguageSwitch />
                <ThemeSwitch />
              </div>
            </div>
            <DrawerFoot />
          </RadixDialog.Content>
        </RadixDialog.Overlay>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

/** Stands where the finger that opened the drawer still is: a second tap there does nothing. */
function DrawerFoot() {
  const { user } = useHis();
  return (
    <div className="drawer-foot">
      <Avatar person={user} />
      <span>
        <b>{user.name}</b>
        {user.email}
      </span>
    </div>
  );
}
