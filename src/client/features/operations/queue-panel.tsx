import { Plural, Trans } from "@lingui/react/macro";
import { CircleCheckIcon, ClockIcon } from "../../ui/entry-icons.tsx";
import { HomeIcon, HomePanel, HomeRow } from "../home/home-panel.tsx";
import type { useOperations } from "./use-operations.ts";

/** After this time a job that could run is late. */
const LATE_SECONDS = 600;

/** What is being worked on in the background. */
export function QueuePanel({ query }: { query: ReturnType<typeof useOperations> }) {
  return (
    <HomePanel title={<Trans id="home.queue">Work in the background</Trans>} query={query}>
      {({ queue: { active, waiting, oldestSeconds } }) => (
        <HomeRow
          lead={
            oldestSeconds > LATE_SECONDS ? (
              <HomeIcon icon={ClockIcon} tone="warn" />
            ) : (
              <HomeIcon icon={CircleCheckIcon} tone="ok" />
            )
          }
          title={
            <>
              <Plural id="home.queue.active" value={active} one="# job runs" other="# jobs run" />
              {" · "}
              <Plural id="home.queue.waiting" value={waiting} one="# waits" other="# wait" />
            </>
          }
        >
          {waiting > 0 && <OldestWait seconds={oldestSeconds} />}
        </HomeRow>
      )}
    </HomePanel>
  );
}

function OldestWait({ seconds }: { seconds: number }) {
  const minutes = Math.floor(seconds / 60);
  return <Trans id="home.queue.oldest">the oldest for {minutes} min</Trans>;
}
