import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import type { ComponentProps } from "react";
import type { Icon } from "../../ui/icon.tsx";
import {
  BadgeCheckIcon,
  CircleHelpIcon,
  FlaskIcon,
  HouseIcon,
  InboxIcon,
  LayersIcon,
  LifeBuoyIcon,
  ReceiptIcon,
  ShieldCheckIcon,
  UploadIcon,
  UsersIcon,
} from "../../ui/icons.tsx";
import { type ViewName, viewAtom } from "../places/views.ts";
import { type His, maySeeExams, useHis } from "../session/his-context.ts";

interface MenuItem {
  view: ViewName;
  icon: Icon;
  label: MessageDescriptor;
  /** For a view that shows an admin something else. */
  adminLabel?: MessageDescriptor;
  /** For the tabs of a phone; an entry without it stands only in the drawer. */
  shortLabel?: MessageDescriptor;
  /** Everyone sees it unless this says otherwise. */
  isVisible?: (his: His) => boolean;
  isEnabled: (his: His) => boolean;
}

const exams = msg({ id: "menu.exams", message: "Exams" });
const ownExams = {
  label: msg({ id: "menu.ownExams", message: "My exams" }),
  adminLabel: exams,
  shortLabel: exams,
};

const menuItems: MenuItem[] = [
  {
    view: "welcome",
    icon: HouseIcon,
    label: msg({ id: "menu.welcome", message: "Home" }),
    shortLabel: msg({ id: "menu.welcome", message: "Home" }),
    isEnabled: () => true,
  },
  { view: "listaExames", icon: LayersIcon, ...ownExams, isEnabled: maySeeExams },
  {
    view: "uploadExames",
    icon: UploadIcon,
    label: msg({ id: "menu.upload", message: "Upload exams" }),
    shortLabel: msg({ id: "menu.uploadShort", message: "Upload" }),
    isEnabled: ({ isActive }) => isActive,
  },
  {
    view: "receber",
    icon: InboxIcon,
    label: msg({ id: "menu.receive", message: "Receive from a clinic" }),
    isEnabled: ({ isActive }) => isActive,
  },
  {
    view: "examesLab",
    icon: FlaskIcon,
    label: msg({ id: "menu.labs", message: "Laboratory" }),
    isVisible: ({ user }) => user.role === "user",
    isEnabled: ({ isActive }) => isActive,
  },
  {
    view: "subscription",
    icon: BadgeCheckIcon,
    label: msg({ id: "menu.subscription", message: "Subscription" }),
    adminLabel: msg({ id: "subscriptions.title", message: "Subscriptions" }),
    isEnabled: () => true,
  },
  {
    view: "paymentHistory",
    icon: ReceiptIcon,
    label: msg({ id: "menu.payments", message: "Payments" }),
    isVisible: ({ user }) => user.role !== "admin",
    isEnabled: () => true,
  },
  {
    view: "users",
    icon: UsersIcon,
    label: msg({ id: "menu.users", message: "Manage users" }),
    isVisible: ({ user }) => user.role === "admin",
    isEnabled: () => true,
  },
  {
    view: "integrity",
    icon: ShieldCheckIcon,
    label: msg({ id: "menu.integrity", message: "Integrity" }),
    isVisible: ({ user }) => user.role === "admin",
    isEnabled: () => true,
  },
  {
    view: "help",
    icon: CircleHelpIcon,
    label: msg({ id: "help.title", message: "Help" }),
    isEnabled: () => true,
  },
  {
    view: "support",
    icon: LifeBuoyIcon,
    label: msg({ id: "menu.support", message: "Support" }),
    isEnabled: () => true,
  },
];

export interface MenuEntry extends Pick<MenuItem, "view" | "icon"> {
  label: string;
  shortLabel: string | undefined;
  isCurrent: boolean;
  isEnabled: boolean;
  /** Shows the view; does nothing while the entry is disabled. */
  open: () => void;
}

/** The menu as it is for this user now; sidebar, bar, tabs and drawer draw the same entries. */
export function useMenu(): MenuEntry[] {
  const { i18n } = useLingui();
  const his = useHis();
  const [view, setView] = useAtom(viewAtom);
  const visible = menuItems.filter(({ isVisible }) => isVisible?.(his) ?? true);
  return visible.map((item) => {
    const isEnabled = item.isEnabled(his);
    return {
      view: item.view,
      icon: item.icon,
      label: i18n._((his.user.role === "admin" && item.adminLabel) || item.label),
      shortLabel: item.shortLabel && i18n._(item.shortLabel),
      isEnabled,
      // Reports and images are opened from the list.
      isCurrent: item.view === (view === "laudo" || view === "viewer" ? "listaExames" : view),
      open: () => {
        if (isEnabled) setView(item.view);
      },
    };
  });
}

/** What a menu entry's button needs, wherever it is drawn. */
export function menuButtonProps({ isCurrent, isEnabled, open }: MenuEntry): ComponentProps<"button"> {
  return {
    type: "button",
    onClick: open,
    "aria-current": isCurrent ? "page" : undefined,
    "aria-disabled": isEnabled ? undefined : true,
  };
}
