import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import {
  type AccountSubscription,
  type Subscription,
  subscriptionStatuses,
} from "../../../shared/api/subscriptions.ts";
import { MAX_USER_SEARCH } from "../../../shared/api/users.ts";
import { Field, TextField } from "../../ui/field.tsx";
import { useDebounced } from "../../ui/hooks/use-debounced.ts";
import { useExistingPage } from "../../ui/hooks/use-existing-page.ts";
import { usePageRead } from "../../ui/hooks/use-page-read.ts";
import { Pager } from "../../ui/pager.tsx";
import { Select } from "../../ui/select.tsx";
import { dayText } from "../../ui/text/moment-text.ts";
import { planNameText } from "../plan/plan-name.ts";
import { SEARCH_PAUSE_MS } from "../users/use-users.ts";
import { AdminRows, RowOwner } from "./admin-rows.tsx";
import { SubscriptionsError } from "./subscriptions-error.tsx";
import { useAccountSubscriptions } from "./use-admin-subscriptions.ts";

const PER_PAGE = 20;

interface Filters {
  search: string;
  status: Subscription["status"] | "all";
}

/** Lists each account's plan with its end and its usage. */
export function AccountSubscriptions() {
  const { i18n } = useLingui();
  const [filters, setFilters] = useState<Filters>({ search: "", status: "all" });
  const [page, setPage] = useState(0);
  const { search, status } = useDebounced(filters, SEARCH_PAUSE_MS);
  const query = useAccountSubscriptions({
    ...(search.trim() !== "" && { search }),
    ...(status !== "all" && { status }),
    limit: PER_PAGE,
    offset: page * PER_PAGE,
  });
  const { data, error, isReading } = usePageRead(query);
  useExistingPage({
    page,
    perPage: PER_PAGE,
    total: isReading ? undefined : data?.total,
    onPage: setPage,
  });
  const change = (changed: Partial<Filters>) => {
    setFilters({ ...filters, ...changed });
    setPage(0);
  };
  return (
    <>
      {error && <SubscriptionsError error={error} onRetry={query.refetch} />}
      <section className="panel admin-panel">
        <search className="admin-filter">
          <TextField
            type="search"
            maxLength={MAX_USER_SEARCH}
            label={<Trans id="users.search">Name or e-mail</Trans>}
            autoComplete="off"
            value={filters.search}
            onChange={({ target }) => change({ search: target.value })}
          />
          <Field label={<Trans id="payments.status">Status</Trans>}>
            {(tied) => (
              <Select
                {...tied}
                value={filters.status}
                onValueChange={(value) => change({ status: value })}
                options={[
                  { value: "all", label: <Trans id="users.filter.all">All</Trans> },
                  ...subscriptionStatuses.map((value) => ({ value, label: i18n._(statusNames[value]) })),
                ]}
              />
            )}
          </Field>
        </search>
        {!data && error ? null : (
          <AdminRows
            rows={data?.rows}
            isReading={isReading}
            none={<Trans id="users.none">No user matches these filters.</Trans>}
          >
            {(row) => <AccountRow key={row.subscription.id} row={row} />}
          </AdminRows>
        )}
        {data && data.total > 0 && (
          <Pager
            before={page * PER_PAGE}
            shown={data.rows.length}
            total={data.total}
            isReading={isReading}
            onStep={(step) => setPage(page + step)}
          />
        )}
      </section>
    </>
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

const statusNames = {
  active: msg({ id: "subscriptions.status.active", message: "Active" }),
  pending: msg({ id: "subscriptions.status.pending", message: "Pending" }),
  expired: msg({ id: "subscriptions.status.expired", message: "Expired" }),
};

function SubscriptionStatus({ status }: { status: Subscription["status"] }) {
  const { i18n } = useLingui();
  const tones = { active: "is-ok", pending: "is-moving", expired: "is-warn" };
  return <span className={`dot ${tones[status]}`}>{i18n._(statusNames[status])}</span>;
}
