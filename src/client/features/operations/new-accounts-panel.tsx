import { Trans, useLingui } from "@lingui/react/macro";
import { Avatar } from "../../ui/avatar.tsx";
import { whenText } from "../../ui/when-text.ts";
import { HomePanel, HomeRow } from "../home/home-panel.tsx";
import { roleName } from "../users/user-text.ts";
import type { useOperations } from "./use-operations.ts";
import { ViewLink } from "./view-link.tsx";

/** The accounts made in the last days. */
export function NewAccountsPanel({ query }: { query: ReturnType<typeof useOperations> }) {
  const { i18n } = useLingui();
  return (
    <HomePanel
      title={<Trans id="home.accounts">New accounts</Trans>}
      link={
        <ViewLink view="users">
          <Trans id="home.accounts.all">Users</Trans>
        </ViewLink>
      }
      query={query}
    >
      {({ newAccounts }) =>
        newAccounts.length === 0 ? (
          <p className="home-none">
            <Trans id="home.accounts.none">None in the last seven days</Trans>
          </p>
        ) : (
          <ul>
            {newAccounts.map(({ id, name, role, createdAt }) => (
              <li key={id}>
                <HomeRow lead={<Avatar person={{ name, profileImageUrl: null }} />} title={name}>
                  {roleName(i18n, role)} · {whenText(i18n, createdAt)}
                </HomeRow>
              </li>
            ))}
          </ul>
        )
      }
    </HomePanel>
  );
}
