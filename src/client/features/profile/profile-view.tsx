import { Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { useState } from "react";
import { flushSync } from "react-dom";
import { Avatar } from "../../ui/avatar.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { MailPanel } from "../notifications/mail-panel.tsx";
import { ReceiversPanel } from "../receivers/receivers-panel.tsx";
import { SecurityPanel } from "../security/security-panel.tsx";
import { useHis } from "../session/his-context.ts";
import { TokensPanel } from "../tokens/tokens-panel.tsx";
import { roleName } from "../users/user-text.ts";
import { AccountData } from "./account-data.tsx";
import { ActivityPanel } from "./activity-panel.tsx";
import { ProfileForm } from "./profile-form.tsx";
import { ProfileTabs, profileTabAtom } from "./profile-tabs.tsx";

/** The account of the signed-in person in four tabs: their data, the ways in, messages, and what was done. */
export default function ProfileView() {
  const [pendingEmail, setPendingEmail] = useState<string>();
  const setTab = useSetAtom(profileTabAtom);
  const changePassword = () => {
    flushSync(() => setTab("data"));
    document.querySelector<HTMLElement>("input[name=currentPassword]")?.focus();
  };
  return (
    <>
      <div className="view-head">
        <h1>
          <Trans id="profile.title">Profile</Trans>
        </h1>
      </div>
      <ProfileTabs>
        {{
          data: (
            <>
              <PersonPanel />
              <ProfileForm pendingEmail={pendingEmail} onPendingEmail={setPendingEmail} />
              <AccountData />
            </>
          ),
          access: (
            <>
              <SecurityPanel onChangePassword={changePassword} />
              <TokensPanel />
              <ReceiversPanel />
            </>
          ),
          mails: <MailPanel />,
          activity: <ActivityPanel />,
        }}
      </ProfileTabs>
    </>
  );
}

function PersonPanel() {
  const { i18n } = useLingui();
  const { user } = useHis();
  return (
    <section className="panel profile-person">
      <Avatar person={user} className="is-large" />
      <div className="profile-name">
        <h2>{user.name}</h2>
        <p>{user.email}</p>
      </div>
      <dl>
        <div>
          <dt>
            <Trans id="profile.role">Role</Trans>
          </dt>
          <dd>{roleName(i18n, user.role)}</dd>
        </div>
        <div>
          <dt>
            <Trans id="profile.memberSince">Member since</Trans>
          </dt>
          <dd>
            <time dateTime={user.createdAt}>{dayText(user.createdAt)}</time>
          </dd>
        </div>
      </dl>
    </section>
  );
}
