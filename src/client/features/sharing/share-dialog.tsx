import { Trans } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { useState } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { useOpener } from "../../ui/hooks/use-opener.ts";
import { StudyLine } from "../studies/study-line.tsx";
import { useFoundStudy } from "../studies/use-found-study.ts";
import { LinkReady } from "./link-ready.tsx";
import { LinksTab } from "./links-tab.tsx";
import { PeopleTab } from "./people-tab.tsx";
import type { ReadyLink } from "./ready-link.ts";
import { sharedSubject } from "./share-state.ts";
import { ShareTabs, type ShareWay } from "./share-tabs.tsx";
import { useIsCreatingLink } from "./use-links.ts";

/** Shares a study by a link, or with people who have an account, and shows what they did with it. */
export function ShareDialog() {
  const [study, setStudy] = useAtom(sharedSubject.valueAtom);
  const [ready, setReady] = useState<ReadyLink>();
  const opener = useOpener(study !== undefined);
  useFoundStudy(sharedSubject);
  const isCreating = useIsCreatingLink();
  const closeReady = () => setReady(undefined);
  if (study && ready) return <LinkReady exams={[study]} link={ready} onClose={closeReady} />;
  return (
    <Dialog
      wide
      hasCross
      returnTo={opener}
      open={study !== undefined}
      onOpenChange={(open) => {
        if (!open && !isCreating) setStudy(undefined);
      }}
      title={<Trans id="share.title">Share exam</Trans>}
      text={study && <StudyLine study={study} />}
    >
      {study && <Sharing study={study} onReady={setReady} />}
    </Dialog>
  );
}

function Sharing({ study, onReady }: { study: Study; onReady: (link: ReadyLink) => void }) {
  const [way, setWay] = useState<ShareWay>("link");
  const [recipient, setRecipient] = useState<string>();
  const offerLink = (email: string) => {
    setRecipient(email);
    setWay("link");
  };
  return (
    <ShareTabs
      way={way}
      onWay={setWay}
      byLink={<LinksTab study={study} recipient={recipient} onReady={onReady} />}
      byAccount={<PeopleTab studyId={study.id} onLink={offerLink} />}
    />
  );
}
