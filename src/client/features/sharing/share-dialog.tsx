import { Trans, useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { useState } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { dateText, descriptionText } from "../studies/study-text.ts";
import { useFoundStudy } from "../studies/use-found-study.ts";
import { LinkReady } from "./link-ready.tsx";
import { LinksTab } from "./links-tab.tsx";
import { PeopleTab } from "./people-tab.tsx";
import type { ReadyLink } from "./ready-link.ts";
import { sharedSubject } from "./share-state.ts";
import { ShareTabs } from "./share-tabs.tsx";

/** Shares a study by a link, or with people who have an account, and shows what they did with it. */
export function ShareDialog() {
  const { i18n } = useLingui();
  const [study, setStudy] = useAtom(sharedSubject.valueAtom);
  const [ready, setReady] = useState<ReadyLink>();
  useFoundStudy(sharedSubject);
  if (study && ready) return <LinkReady exams={[study]} link={ready} onClose={() => setReady(undefined)} />;
  return (
    <Dialog
      wide
      hasCross
      open={study !== undefined}
      onOpenChange={(open) => {
        if (!open) setStudy(undefined);
      }}
      title={<Trans id="share.title">Share exam</Trans>}
      text={study && `${descriptionText(i18n, study)}, ${dateText(i18n, study.studyDate)}`}
    >
      {study && <Sharing study={study} onReady={setReady} />}
    </Dialog>
  );
}

function Sharing({ study, onReady }: { study: Study; onReady: (link: ReadyLink) => void }) {
  return (
    <ShareTabs
      byLink={<LinksTab study={study} onReady={onReady} />}
      byAccount={<PeopleTab studyId={study.id} />}
    />
  );
}
