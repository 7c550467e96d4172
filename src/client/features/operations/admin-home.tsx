import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import type { Operations } from "../../../shared/api/operations.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../shared/units.ts";
import { useServerNow } from "../../ui/hooks/use-now.ts";
import { OldDataNotice } from "../../ui/old-data-notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { limitText } from "../../ui/text/limit-text.ts";
import { HomeHead } from "../home/home-head.tsx";
import { useSettled } from "../home/use-settled.ts";
import { usePayments } from "../subscriptions-admin/use-admin-subscriptions.ts";
import { DeadLetterPanel } from "./dead-letter-panel.tsx";
import { NewAccountsPanel } from "./new-accounts-panel.tsx";
import { NodePanel, nodesInNeed } from "./node-panel.tsx";
import { confirmableCount, PixPanel } from "./pix-panel.tsx";
import { QueuePanel } from "./queue-panel.tsx";
import { countUnsound, IntegrityPanel, TransferPanel } from "./stored-bytes-panels.tsx";
import { useDeadLetters, useOperations } from "./use-operations.ts";

/** What an admin sees first: the day in four figures, and what waits for a person, the urgent first. */
export default function AdminHome() {
  const operations = useOperations();
  const letters = useDeadLetters();
  const payments = usePayments("pending", 0);
  const isSettled = useSettled([operations, letters, payments]);
  const isFailed = operations.data === undefined && operations.error !== null;
  const { nodes, studies } = operations.data ?? {};
  const panels: Panel[] = [
    {
      name: "pix",
      waiting: payments.data && confirmableCount(payments.data),
      node: <PixPanel query={payments} />,
    },
    { name: "letters", waiting: letters.data?.length, node: <DeadLetterPanel query={letters} /> },
    { name: "transfers", waiting: studies?.failedTransfers, node: <TransferPanel query={operations} /> },
    { name: "nodes", waiting: nodes && nodesInNeed(nodes), node: <NodePanel query={operations} /> },
    {
      name: "integrity",
      waiting: operations.data && countUnsound(operations.data),
      node: <IntegrityPanel query={operations} />,
    },
    {
      name: "accounts",
      waiting: operations.data?.waitingAccounts,
      node: <NewAccountsPanel query={operations} />,
    },
    { name: "queue", waiting: 0, node: <QueuePanel query={operations} /> },
  ];
  return (
    <>
      <HomeHead />
      <OldDataNotice queries={[operations, letters, payments]} />
      <div className="admin-home">
        {!isFailed && <Facts operations={operations.data} />}
        {isSettled ? <Panels panels={panels} /> : <PanelPlaces />}
      </div>
    </>
  );
}

interface Panel {
  name: string;
  /** How much in it waits for a person; undefined if it could not be loaded. */
  waiting: number | undefined;
  node: ReactNode;
}

/** Two columns, the urgent panels first. Their order is that of the first look, so that no panel moves away from a finger. */
function Panels({ panels }: { panels: readonly Panel[] }) {
  const [order] = useState(() => panels.toSorted(byUrgency).map(({ name }) => name));
  const columns = [0, 1].map((column) => order.filter((_, index) => index % 2 === column));
  return (
    <div className="home-panels">
      {columns.map((names) => (
        <div key={names[0]} className="home-column">
          {names.map((name) => (
            <div key={name}>{panels.find((panel) => panel.name === name)?.node}</div>
          ))}
        </div>
      ))}
    </div>
  );
}

function byUrgency(one: Panel, other: Panel): number {
  const isCalm = ({ waiting }: Panel) => (waiting === 0 ? 1 : 0);
  return isCalm(one) - isCalm(other);
}

const PLACES = [1, 2];

function PanelPlaces() {
  return (
    <div className="home-panels" aria-busy="true">
      {PLACES.map((column) => (
        <div key={column} className="home-column">
          {PLACES.map((place) => (
            <div key={place}>
              <div className="home-head-row">
                <Skeleton className="w-40" />
              </div>
              <div className="panel home-panel home-waiting">
                <Skeleton className="w-48" />
                <Skeleton className="w-24" />
              </div>
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

/** Four figures; undefined while they are being counted. */
function Facts({ operations }: { operations: Operations | undefined }) {
  const { i18n } = useLingui();
  const today = operations?.today;
  return (
    <dl className="panel home-facts" aria-busy={operations === undefined}>
      <Fact label={<Trans id="home.facts.exams">exams today</Trans>}>
        {today && i18n.number(today.exams)}
      </Fact>
      <Fact label={<Trans id="home.facts.bytes">received today</Trans>}>
        {today && limitText(i18n, today.bytes)}
      </Fact>
      <Fact label={<Trans id="home.facts.people">people active today</Trans>}>
        {today && i18n.number(today.people)}
      </Fact>
      <Fact label={<Trans id="home.facts.backup">last backup</Trans>}>
        {operations && <LastBackup at={operations.lastBackupAt} />}
      </Fact>
    </dl>
  );
}

/** An older backup is worth a look. */
const OLD_MS = 2 * DAY_MS;

function LastBackup({ at }: { at: string | null }) {
  const now = useServerNow(MINUTE_MS);
  if (at === null) {
    return (
      <span className="home-old">
        <Trans id="home.backup.never">never</Trans>
      </span>
    );
  }
  const age = Math.max(0, now - Date.parse(at));
  return (
    <span className={age > OLD_MS ? "home-old" : "home-recent"}>
      <Age milliseconds={age} />
    </span>
  );
}

function Age({ milliseconds }: { milliseconds: number }) {
  const minutes = Math.floor(milliseconds / MINUTE_MS);
  const hours = Math.floor(milliseconds / HOUR_MS);
  const days = Math.floor(milliseconds / DAY_MS);
  if (hours < 1) return <Trans id="home.minutes">{minutes} min</Trans>;
  if (days < 2) return <Trans id="home.hours">{hours} h</Trans>;
  return <Trans id="home.days">{days} days</Trans>;
}

function Fact({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children || <Skeleton className="h-7 w-20" />}</dd>
    </div>
  );
}
