import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { AccountSubscription, Subscription } from "../../../shared/api/subscriptions.ts";
import { fold } from "../../../shared/fold.ts";
import { TextField } from "../../ui/field.tsx";
import { dayText } from "../../ui/moment-text.ts";
import { Pager } from "../../ui/pager.tsx";
import { planNameText } from "../plan/plan-name.ts";
import { AdminRows, RowOwner } from "./admin-rows.tsx";
import { SubscriptionsError } from "./subscriptions-error.tsx";
import { useAccountSubscriptions } from "./use-admin-subscriptions.ts";

const PER_PAGE = 20;

/** Lists each account's plan with its end and its usage. */
export function AccountSubscriptions() {
  const { data, error, refetch } = useAccountSubscriptions();
  const [search, setSearch] = useState("");
  const [page, setPage] = useState(0);
  const found = data?.filter(({ user }) => fold(`${user.name} ${user.email}`).includes(fold(search)));
  const shown = found?.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
  if (error) {
    return <SubscriptionsError error={error} onRetry={refetch} />;
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
      <AdminRows rows={shown} none={<Trans id="users.none">No user matches these filters.</Trans>}>
        {(row) => <AccountRow key={row.subscription.id} row={row} />}
      </AdminRows>
      {found && found.length > 0 && (
        <Pager
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
  const { i18n } = useLingui();
  const { currentExamCount, expiresAt } = subscription;
  const used = `${currentExamCount} / ${plan.examLimit}`;
  return (
    <li>
      <RowOwner name={user.name} email={user.email} />
      <div>
        <b>{planNameText(i18n, plan.name)}</b>
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
