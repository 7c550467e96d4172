import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Operations } from "../../../shared/api/operations.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { useFocusWhenDone } from "../../ui/hooks/use-focus-when-done.ts";
import { whenText } from "../../ui/text/when-text.ts";
import { showToast } from "../../ui/toast.tsx";
import { HomePanel, HomeRow } from "../home/home-panel.tsx";
import { USERS_AND_SELF } from "../users/use-users.ts";
import { roleName } from "../users/user-text.ts";
import { usersApi } from "../users/users-api.ts";
import { OPERATIONS, type useOperations } from "./use-operations.ts";
import { ViewLink } from "./view-link.tsx";

/** The accounts that wait for an admin, and those made in the last days. */
export function NewAccountsPanel({ query }: { query: ReturnType<typeof useOperations> }) {
  const { data } = query;
  const { waitingAccounts = 0 } = data ?? {};
  const [letIn, setLetIn] = useState<NewAccount[]>([]);
  return (
    <HomePanel
      title={<Trans id="home.accounts">New accounts</Trans>}
      // Where everybody may register, nothing is counted.
      count={waitingAccounts > 0 ? waitingAccounts : undefined}
      link={
        <ViewLink view="users">
          <Trans id="home.accounts.all">Users</Trans>
        </ViewLink>
      }
      query={{ ...query, data: data && withLetIn(data.newAccounts, letIn) }}
    >
      {(accounts) =>
        accounts.length === 0 ? (
          <p className="home-none">
            <Trans id="home.accounts.none">None in the last seven days</Trans>
          </p>
        ) : (
          <ul>
            {accounts.map((account) => (
              <li key={account.id} tabIndex={-1}>
                <AccountRow
                  account={account}
                  onLetIn={() => setLetIn((before) => [...before, { ...account, isWaiting: false }])}
                />
              </li>
            ))}
          </ul>
        )
      }
    </HomePanel>
  );
}

type NewAccount = Operations["newAccounts"][number];

/**
 * The newest first. An account that is let in keeps its place, also where the server now names another that waits instead: no row moves
 * under the finger.
 */
function withLetIn(accounts: readonly NewAccount[], letIn: readonly NewAccount[]): NewAccount[] {
  const known = new Set(accounts.map(({ id }) => id));
  return [...accounts, ...letIn.filter(({ id }) => !known.has(id))].toSorted((one, other) =>
    other.createdAt.localeCompare(one.createdAt),
  );
}

interface AccountRowProps {
  account: NewAccount;
  /** Called before the accounts are read again. */
  onLetIn: () => void;
}

function AccountRow({ account, onLetIn }: AccountRowProps) {
  const { i18n, t } = useLingui();
  const { id, name, role, createdAt, isWaiting } = account;
  const authorize = useMutation({
    meta: { changes: [...USERS_AND_SELF, OPERATIONS] },
    mutationFn: () => usersApi.change(id, { isAuthorized: true }),
    onSuccess: onLetIn,
    onError: (error) => {
      const title = t({ id: "users.updateFailed", message: "Failed to update user" });
      showToast({ tone: "bad", title, text: error.message });
    },
  });
  const button = useFocusWhenDone(authorize.isPending);
  return (
    <HomeRow
      lead={<Avatar person={{ name, profileImageUrl: null }} />}
      title={name}
      actions={
        isWaiting && (
          <Button
            size="small"
            ref={button}
            disabled={authorize.isPending}
            aria-label={t({ id: "users.authorize", message: `Authorize ${name}` })}
            // The second press of a double one may fall on the next row.
            onClick={({ detail }) => {
              if (detail < 2) authorize.mutate();
            }}
          >
            <Trans id="home.accounts.authorize">Authorize</Trans>
          </Button>
        )
      }
    >
      {roleName(i18n, role)} · {whenText(i18n, createdAt)}
      {isWaiting && (
        <>
          {" · "}
          <Trans id="home.accounts.waiting">waits for you</Trans>
        </>
      )}
    </HomeRow>
  );
}
