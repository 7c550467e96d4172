import { Trans } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { Tabs } from "radix-ui";
import { useFailure } from "../../ui/hooks/use-failure.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { OldDataNotice } from "../../ui/old-data-notice.tsx";
import { useHomeIf } from "../places/use-home-if.ts";
import { viewStateAtom } from "../places/views.ts";
import { useHis } from "../session/his-context.ts";
import { Findings } from "./findings.tsx";
import { PastRounds } from "./past-rounds.tsx";
import { RoundPanel } from "./round-panel.tsx";
import { useIntegrity } from "./use-integrity.ts";

/** What reading the archive again found, for an admin; sends everybody else back to the start. */
export default function IntegrityView() {
  const isAdmin = useHis().user.role === "admin";
  useHomeIf(!isAdmin);
  return isAdmin ? <ArchiveIntegrity /> : null;
}

const tabAtom = viewStateAtom("tab", "open");

function ArchiveIntegrity() {
  const summary = useIntegrity();
  const { data, refetch } = summary;
  const error = useFailure(summary);
  const [tab, setTab] = useAtom(tabAtom);
  return (
    <>
      <div className="view-head">
        <h1>
          <Trans id="menu.integrity">Integrity</Trans>
        </h1>
      </div>
      {error && !data ? (
        <LoadError
          title={<Trans id="integrity.failed">The state of the archive could not be loaded</Trans>}
          error={error}
          onRetry={refetch}
        />
      ) : (
        <>
          <OldDataNotice queries={[summary]} />
          <RoundPanel summary={data} />
          <Tabs.Root value={tab} onValueChange={setTab}>
            <Tabs.List className="tabs can-scroll">
              <Tabs.Trigger value="open">
                <Trans id="integrity.open">Open</Trans>
                {data !== undefined && data.openFindings > 0 && (
                  <span className="admin-count">{data.openFindings}</span>
                )}
              </Tabs.Trigger>
              <Tabs.Trigger value="closed">
                <Trans id="integrity.closed">Settled</Trans>
              </Tabs.Trigger>
              <Tabs.Trigger value="rounds">
                <Trans id="integrity.rounds">Rounds</Trans>
              </Tabs.Trigger>
            </Tabs.List>
            <Tabs.Content value="open" className="tab">
              <Findings state="open" />
            </Tabs.Content>
            <Tabs.Content value="closed" className="tab">
              <Findings state="closed" />
            </Tabs.Content>
            <Tabs.Content value="rounds" className="tab">
              <PastRounds rounds={data?.pastRounds} />
            </Tabs.Content>
          </Tabs.Root>
        </>
      )}
    </>
  );
}
