import { Trans, useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { menuPositionAtom } from "../../preferences.ts";
import { Brand } from "../../ui/brand.tsx";
import { IconButton } from "../../ui/button.tsx";
import { LogOutIcon, PanelLeftIcon, PanelTopIcon } from "../../ui/icons.tsx";
import { LanguageSwitch } from "../preferences/language-switch.tsx";
import { ThemeSwitch } from "../preferences/theme-switch.tsx";
import { useHis } from "../session/his-context.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Bell } from "./bell.tsx";
import { ExamCount } from "./exam-count.tsx";
import { menuButtonProps, useMenu } from "./menu-items.tsx";
import { useCarefulSignOut } from "./sign-out-asked.ts";

/** The menu of a desk: a sidebar (a rail where it is narrow) or, as the person prefers, a bar on top. */
export function SideMenu() {
  const { t } = useLingui();
  const { productName, user } = useHis();
  const signOut = useCarefulSignOut();
  return (
    <aside className="side" aria-label={t({ id: "menu.side", message: "Menu and account" })}>
      <Brand productName={productName} />
      <nav className="side-nav" aria-label={t({ id: "menu.main", message: "Main menu" })}>
        {useMenu().map((entry) => (
          <button key={entry.view} className="nav" {...menuButtonProps(entry)}>
            <entry.icon />
            <span className="nav-label">{entry.label}</span>
            {entry.view === "listaExames" && <ExamCount />}
          </button>
        ))}
      </nav>
      <div className="side-space" />
      <MenuPositionButton />
      <div className="side-preferences">
        <LanguageSwitch />
        <ThemeSwitch />
        <Bell />
      </div>
      <div className="side-account">
        <AccountMenu />
        <div className="side-person">
          <b>{user.name}</b>
          <span>{user.email}</span>
        </div>
        <IconButton label={t({ id: "action.logout", message: "Log out" })} onClick={signOut}>
          <LogOutIcon />
        </IconButton>
      </div>
    </aside>
  );
}

function MenuPositionButton() {
  const [position, setPosition] = useAtom(menuPositionAtom);
  const isSidebar = position === "sidebar";
  return (
    <button
      type="button"
      className="nav side-position"
      onClick={() => setPosition(isSidebar ? "topbar" : "sidebar")}
    >
      {isSidebar ? <PanelTopIcon /> : <PanelLeftIcon />}
      <span className="nav-label">
        {isSidebar ? (
          <Trans id="menu.moveToTop">Menu on top</Trans>
        ) : (
          <Trans id="menu.moveToSide">Menu on the side</Trans>
        )}
      </span>
    </button>
  );
}
