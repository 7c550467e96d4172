import { Trans } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { Tabs } from "radix-ui";
import { type ReactNode, useEffect, useRef } from "react";
import { KeyIcon } from "../../ui/entry-icons.tsx";
import { useMediaQuery } from "../../ui/hooks/use-media-query.ts";
import { ActivityIcon, BellIcon, UserIcon } from "../../ui/icons.tsx";
import { viewStateAtom } from "../places/views.ts";

/** Where the tabs stand in a column beside what they show, as in the styles. */
const WIDE = "(min-width: 68.8125em)";

const profileTabs = ["data", "access", "mails", "activity"] as const;
export type ProfileTab = (typeof profileTabs)[number];

/** Which of the tabs is shown. */
export const profileTabAtom = viewStateAtom("tab", "data");

/** The four parts of the profile; an unknown one in the address is the first. */
export function ProfileTabs({ children }: { children: Record<ProfileTab, ReactNode> }) {
  const [named, setTab] = useAtom(profileTabAtom);
  const tab = profileTabs.find((known) => known === named) ?? "data";
  const list = useRef<HTMLDivElement>(null);
  // On a phone the row of tabs is wider than the window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each tab that comes is brought into view
  useEffect(() => {
    list.current
      ?.querySelector("[data-state=active]")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [tab]);
  return (
    <Tabs.Root
      className="profile"
      value={tab}
      onValueChange={setTab}
      orientation={useMediaQuery(WIDE) ? "vertical" : "horizontal"}
    >
      <Tabs.List className="tabs profile-tabs" ref={list}>
        <Tabs.Trigger className="nav" value="data">
          <UserIcon />
          <Trans id="profile.tab.data">Your data</Trans>
        </Tabs.Trigger>
        <Tabs.Trigger className="nav" value="access">
          <KeyIcon />
          <Trans id="profile.tab.access">Programs and devices</Trans>
        </Tabs.Trigger>
        <Tabs.Trigger className="nav" value="mails">
          <BellIcon />
          <Trans id="profile.tab.mails">Notifications</Trans>
        </Tabs.Trigger>
        <Tabs.Trigger className="nav" value="activity">
          <ActivityIcon />
          <Trans id="profile.tab.activity">Activity</Trans>
        </Tabs.Trigger>
      </Tabs.List>
      {profileTabs.map((one) => (
        <Tabs.Content key={one} value={one} className="tab profile-panels">
          {children[one]}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}
