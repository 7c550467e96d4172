import { Trans, useLingui } from "@lingui/react/macro";
import { useSetAtom } from "jotai";
import { type ReactNode, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { InboxIcon, UploadIcon } from "../../ui/icons.tsx";
import { whenText } from "../../ui/text/when-text.ts";
import { viewAtom } from "../places/views.ts";
import { useHis } from "../session/his-context.ts";
import { useMySubscription } from "../session/use-my-subscription.ts";
import { Kept } from "../subscriptions/subscription-notices.tsx";
import { HomeHead } from "./home-head.tsx";
import { HomeSection } from "./home-panel.tsx";
import { HomePlace, RowPlaces } from "./home-place.tsx";
import { LinksPanel } from "./links-panel.tsx";
import { PlanPanel } from "./plan-panel.tsx";
import { useRecentStudies } from "./recent-studies.ts";
import { RecentWall } from "./recent-wall.tsx";
import { SharedRow } from "./shared-row.tsx";
import { useSharedWithMe } from "./shared-with-me.ts";
import { StartPanel } from "./start-panel.tsx";
import { useSettled } from "./use-settled.ts";
import { useWaiting } from "./use-waiting.tsx";
import { WaitingList } from "./waiting-list.tsx";

/** A patient's first view: what waits for them, their newest exams, and what others share with them. */
export default function PersonHome() {
  const { isActive } = useHis();
  const recent = useRecentStudies({ enabled: isActive });
  const shared = useSharedWithMe({ enabled: isActive });
  const waiting = useWaiting();
  if (!useSettled([recent, shared, waiting])) {
    return (
      <>
        <HomeHead />
        <HomePlace />
      </>
    );
  }
  const isEmpty = !isActive || recent.data?.total === 0;
  const parts = (
    <>
      {!isActive && <KeptExams />}
      <WaitingList query={waiting} />
      {isEmpty ? <StartPanel /> : <RecentWall query={recent} />}
      {isActive && <SharedList query={shared} />}
    </>
  );
  return (
    <>
      <HomeHead isFirstVisit={isEmpty}>{!isEmpty && <UploadButton />}</HomeHead>
      {isEmpty ? <div className="home-main">{parts}</div> : <WithSide>{parts}</WithSide>}
    </>
  );
}

/** Tells a person whose subscription ended that their exams are kept, although they see none. */
function KeptExams() {
  const { data } = useMySubscription({ enabled: true });
  return data?.keptUntil && <Kept until={data.keptUntil} />;
}

function WithSide({ children }: { children: ReactNode }) {
  const { t } = useLingui();
  return (
    <div className="home">
      <div className="home-main">{children}</div>
      <aside className="home-side" aria-label={t({ id: "home.side", message: "Your plan and links" })}>
        <PlanPanel />
        <LinksPanel />
        <ReceiveButton />
      </aside>
    </div>
  );
}

function UploadButton() {
  const setView = useSetAtom(viewAtom);
  return (
    <Button kind="lit" className="home-upload" onClick={() => setView("uploadExames")}>
      <UploadIcon small />
      <Trans id="menu.upload">Upload exams</Trans>
    </Button>
  );
}

function ReceiveButton() {
  const setView = useSetAtom(viewAtom);
  return (
    <Button className="w-full" onClick={() => setView("receber")}>
      <InboxIcon small />
      <Trans id="menu.receive">Receive from a clinic</Trans>
    </Button>
  );
}

const SHARED_SHOWN = 5;

/** What others share with the person, what they have not seen first; nothing at all if nobody shares anything. */
function SharedList({ query }: { query: ReturnType<typeof useSharedWithMe> }) {
  const { i18n } = useLingui();
  const [wasLate] = useState(query.data === undefined);
  const shared = query.data && [...query.data.fresh, ...query.data.seen].slice(0, SHARED_SHOWN);
  if (shared?.length === 0 && !wasLate) return null;
  return (
    <HomeSection
      title={<Trans id="home.sharedWithMe">Shared with me</Trans>}
      query={{ ...query, data: shared }}
      place={<RowPlaces />}
    >
      {(rows) => (
        <ul className="panel home-rows">
          {rows.length === 0 && (
            <li className="home-none">
              <Trans id="home.sharedWithMe.none">Nobody shares an exam with you.</Trans>
            </li>
          )}
          {rows.map(({ study, sharedAt }) => (
            <li key={study.id}>
              <SharedRow study={study}>
                {study.ownerName} · {whenText(i18n, sharedAt)}
              </SharedRow>
            </li>
          ))}
        </ul>
      )}
    </HomeSection>
  );
}
