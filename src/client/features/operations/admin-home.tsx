import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Operations } from "../../../shared/api/operations.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { DeadLetterPanel } from "./dead-letter-panel.tsx";
import { NodePanel } from "./node-panel.tsx";
import { IntegrityPanel, TransferPanel } from "./stored-bytes-panels.tsx";
import { useOperations } from "./use-operations.ts";

/** What an admin sees first: how the installation does, and what in it waits for a person. */
export default function AdminHome() {
  const query = useOperations();
  const isFailed = query.data === undefined && query.error !== null;
  return (
    <div className="admin-home">
      {!isFailed && <Facts operations={query.data} />}
      <div className="home-panels">
        <div className="home-column">
          <DeadLetterPanel />
          <TransferPanel query={query} />
        </div>
        <div className="home-column">
          <NodePanel query={query} />
          <IntegrityPanel query={query} />
        </div>
      </div>
    </div>
  );
}

/** Four numbers; undefined while they are being counted. */
function Facts({ operations }: { operations: Operations | undefined }) {
  const { i18n } = useLingui();
  const number = (value: number | undefined) => value !== undefined && i18n.number(value);
  const nodes = operations?.nodes.filter(({ state }) => state === "up").length;
  return (
    <dl className="panel home-facts" aria-busy={operations === undefined}>
      <Fact label={<Trans id="home.active">jobs that run</Trans>}>{number(operations?.queue.active)}</Fact>
      <Fact label={<Trans id="home.waiting">jobs that wait</Trans>}>{number(operations?.queue.waiting)}</Fact>
      <Fact label={<Trans id="home.oldest">the oldest waits</Trans>}>
        {operations && <Minutes seconds={operations.queue.oldestSeconds} />}
      </Fact>
      <Fact label={<Trans id="home.up">servers at work</Trans>}>{number(nodes)}</Fact>
    </dl>
  );
}

function Minutes({ seconds }: { seconds: number }) {
  const minutes = Math.floor(seconds / 60);
  return <Trans id="home.minutes">{minutes} min</Trans>;
}

function Fact({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children || <Skeleton className="h-7 w-20" />}</dd>
    </div>
  );
}
