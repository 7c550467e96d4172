import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { AccountSubscription, Subscription } from "../../../shared/api/subscriptions.ts";
import { fold } from "../../../shared/fold.ts";
import { ErrorCard } from "../../ui/error-card.tsx";
import { TextField } from "../../ui/field.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { dayText } from "../users/user-text.ts";
import { useAccountSubscriptions } from "./use-admin-subscriptions.ts";

const PER_PAGE = 20;

/** Who has which plan, until when, and how much of it is used. */
export function AccountSubscriptions() {
  const { data, error, refetch } = useAccountSubscriptions();
  const [search, setSearch] = useState("");
  const [page, setPage] = useState(0);
  const found = data?.filter(({ user }) => fold(`${user.name} ${user.email}`).includes(fold(search)));
  const shown = found?.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
  if (error) {
    return (
      <ErrorCard
        title={<Trans id="subscriptions.failed">Error loading subscriptions</Trans>}
        action={{ label: <Trans id="action.retry">Try again</Trans>, run: () => void refetch() }}
      >
        {error.message}
      </ErrorCard>
    );
  }
  return (
    <section className="panel admin-panel">
      <div className="admin-filter">
        <TextField
          type="search"
          label={<Trans id="users.search">Name or e-mail</Trans>}
          value={search}
          onChange={(event) => {
            setSearch(event.target.value);
            setPage(0);
          }}
        />
      </div>
      {shown?.length === 0 && (
        <p className="users-none">
          <Trans id="users.none">No user matches these filters.</Trans>
        </p>
      )}
      <ul className="admin-rows" aria-busy={shown === undefined}>
        {shown
          ? shown.map((row) => <AccountRow key={row.subscription.id} row={row} />)
          : [1, 2, 3].map((row) => (
              <li key={row}>
                <Skeleton className="w-48" />
                <Skeleton className="w-24" />
              </li>
            ))}
      </ul>
      {found && found.length > 0 && (
        <Pager
          className="user-pager"
          before={page * PER_PAGE}
          shown={shown?.length ?? 0}
          total={found.length}
          onStep={(step) => setPage(page + step)}
        />
      )}
    </section>
  );
}

function AccountRow({ row: { user, plan, subscription } }: { row: AccountSubscription }) {
  const { currentExamCount, expiresAt } = subscription;
  const used = `${currentExamCount} / ${plan.examLimit}`;
  return (
    <li>
      <div className="admin-who">
        <b>{user.name}</b>
        <span>{user.email}</span>
      </div>
      <div>
        <b>{plan.name}</b>
        <span>
          <Trans id="subscriptions.used">{used} exams</Trans>
        </span>
      </div>
      <div>
        <SubscriptionStatus status={subscription.status} />
        <span>
          {expiresAt === null ? (
            <Trans id="subscription.endless">Has no end date</Trans>
          ) : (
            <time dateTime={expiresAt}>{dayText(expiresAt)}</time>
          )}
        </span>
      </div>
    </li>
  );
}

function SubscriptionStatus({ status }: { status: Subscription["status"] }) {
  const { t } = useLingui();
  const names = {
    active: t({ id: "subscriptions.status.active", message: "Active" }),
    pending: t({ id: "subscriptions.status.pending", message: "Pending" }),
    expired: t({ id: "subscriptions.status.expired", message: "Expired" }),
  };
  const tones = { active: "is-ok", pending: "is-moving", expired: "is-warn" };
  return <span className={`dot ${tones[status]}`}>{names[status]}</span>;
}
