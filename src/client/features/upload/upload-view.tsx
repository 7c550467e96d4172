import { Trans } from "@lingui/react/macro";
import { useAtom, useAtomValue, useSetAtom } from "jotai";
import { useEffect, useEffectEvent } from "react";
import { TriangleAlertIcon } from "../../ui/icons.tsx";
import { pickToKeepAtom } from "../local-view/kept-pick.ts";
import type { LocalPick } from "../local-view/local-pick.ts";
import { viewAtom } from "../places/views.ts";
import { SeePlans } from "../plan/subscription-link.tsx";
import { useHis } from "../session/his-context.ts";
import { DraftView } from "./draft/draft-view.tsx";
import { useDraft } from "./draft/use-draft.ts";
import { removeAbandonedFiles } from "./pack-folder/packed-files.ts";
import { DropZone } from "./pick/drop-zone.tsx";
import { packedNamesInUse } from "./send/resume-records.ts";
import { SentUpload } from "./sent-upload.tsx";
import { shownJobAtom } from "./tray/upload-jobs.ts";
import { useTrialLimit } from "./use-trial-limit.ts";

/** Sending exams: pick, choose among what is there, send. From then on the tray has them, and this view is free for others. */
export default function UploadView() {
  const draft = useDraft();
  const sent = useAtomValue(shownJobAtom);
  const { maxUploadBytes } = useHis();
  const setView = useSetAtom(viewAtom);
  const trialCount = useTrialLimit();
  usePickToKeep((picked) => draft.pick([picked]));
  useEffect(() => {
    void removeAbandonedFiles(packedNamesInUse());
  }, []);

  return (
    <>
      <div className="view-head">
        <h1>
          <Trans id="menu.upload">Upload exams</Trans>
        </h1>
      </div>
      {trialCount !== undefined && <TrialLimitNotice count={trialCount} />}
      {draft.draft.sources.length > 0 ? (
        <DraftView {...draft} />
      ) : (
        <div className="upload">
          <DropZone
            disabled={trialCount !== undefined}
            maxUploadBytes={maxUploadBytes}
            problems={draft.draft.problems}
            onPick={draft.pick}
            onHelp={() => setView("help")}
          />
          {sent && <SentUpload key={sent.id} job={sent} />}
        </div>
      )}
    </>
  );
}

/** Files that the person viewed before they signed in; they are not asked for them again. */
function usePickToKeep(pick: (picked: LocalPick) => void): void {
  const [toKeep, setToKeep] = useAtom(pickToKeepAtom);
  const take = useEffectEvent(pick);
  useEffect(() => {
    if (!toKeep) return;
    setToKeep(undefined);
    take(toKeep);
  }, [toKeep, setToKeep]);
}

function TrialLimitNotice({ count }: { count: number }) {
  return (
    <div className="notice is-warn mb-5">
      <TriangleAlertIcon />
      <p role="alert">
        <Trans id="upload.trialLimit">
          Limit Exceeded: You have already uploaded {count} exams and reached the maximum for trial users.
        </Trans>
      </p>
      <SeePlans />
    </div>
  );
}
