import { Trans } from "@lingui/react/macro";
import { useAtom } from "jotai";
import type { ComponentProps, ReactNode } from "react";
import type { Icon } from "../../ui/icon.tsx";
import {
  BadgeCheckIcon,
  FlaskIcon,
  HouseIcon,
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
  label: ReactNode;
  /** For a view that shows an admin something else. */
  adminLabel?: ReactNode;
  /** For the tabs of a phone; an entry without it stands only in the drawer. */
  shortLabel?: ReactNode;
  /** Everyone sees it unless this says otherwise. */
  isVisible?: (his: His) => boolean;
  isEnabled: (his: His) => boolean;
}

const exams = <Trans id="menu.exams">Exams</Trans>;
const ownExams = {
  label: <Trans id="menu.ownExams">My exams</Trans>,
  adminLabel: exams,
  shortLabel: exams,
};

const menuItems: MenuItem[] = [
  {
    view: "welcome",
    icon: HouseIcon,
    label: <Trans id="menu.welcome">Home</Trans>,
    shortLabel: <Trans id="menu.welcome">Home</Trans>,
    isEnabled: () => true,
  },
  { view: "listaExames", icon: LayersIcon, ...ownExams, isEnabled: maySeeExams },
  {
    view: "uploadExames",
    icon: UploadIcon,
    label: <Trans id="menu.upload">Upload exams</Trans>,
    shortLabel: <Trans id="menu.uploadShort">Upload</Trans>,
    isEnabled: ({ isActive }) => isActive,
  },
  {
    view: "examesLab",
    icon: FlaskIcon,
    label: <Trans id="menu.labs">Laboratory</Trans>,
    isVisible: ({ user }) => user.role === "user",
    isEnabled: ({ isActive }) => isActive,
  },
  {
    view: "subscription",
    icon: BadgeCheckIcon,
    label: <Trans id="menu.subscription">Subscription</Trans>,
    adminLabel: <Trans id="subscriptions.title">Subscriptions</Trans>,
    isEnabled: () => true,
  },
  {
    view: "paymentHistory",
    icon: ReceiptIcon,
    label: <Trans id="menu.payments">Payments</Trans>,
    isVisible: ({ user }) => user.role !== "admin",
    isEnabled: () => true,
  },
  {
    view: "users",
    icon: UsersIcon,
    label: <Trans id="menu.users">Manage users</Trans>,
    isVisible: ({ user }) => user.role === "admin",
    isEnabled: () => true,
  },
  {
    view: "integrity",
    icon: ShieldCheckIcon,
    label: <Trans id="menu.integrity">Integrity</Trans>,
    isVisible: ({ user }) => user.role === "admin",
    isEnabled: () => true,
  },
  {
    view: "support",
    icon: LifeBuoyIcon,
    label: <Trans id="menu.support">Support</Trans>,
    isEnabled: () => true,
  },
];

export interface MenuEntry extends Omit<MenuItem, "adminLabel" | "isEnabled" | "isVisible"> {
  isCurrent: boolean;
  isEnabled: boolean;
  /** Shows the view; does nothing while the entry is disabled. */
  open: () => void;
}

/** The menu as it is for this user now; sidebar, bar, tabs and drawer draw the same entries. */
export function useMenu(): MenuEntry[] {
  const his = useHis();
  const [view, setView] = useAtom(viewAtom);
  const visible = menuItems.filter(({ isVisible }) => isVisible?.(his) ?? true);
  return visible.map((item) => {
    const isEnabled = item.isEnabled(his);
    const label = (his.user.role === "admin" && item.adminLabel) || item.label;
    return {
      ...item,
      label,
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
