import { Trans, useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { useCallback, useState } from "react";
import type { Study } from "../../../shared/api/studies.ts";
import { Button } from "../../ui/button.tsx";
import { ArrowLeftIcon } from "../../ui/icons.tsx";
import { descriptionText } from "../studies/study-text.ts";
import { StudyUnread } from "../studies/study-unread.tsx";
import { useFoundStudy } from "../studies/use-found-study.ts";
import { shownStudySubject } from "./shown-study.ts";
import { StudyVisor } from "./study-visor.tsx";
import { opensDocument, useFirstViewer } from "./viewer-choice.tsx";
import { ViewerFacts } from "./viewer-facts.tsx";
import { ViewerStage } from "./viewer-stage.tsx";

/** A study in the viewer, inside the frame of the page. */
export default function ViewerView() {
  const [study, setStudy] = useAtom(shownStudySubject.valueAtom);
  const goBack = useCallback(() => setStudy(undefined), [setStudy]);
  const unread = useFoundStudy(shownStudySubject);
  if (study) return <ShownStudy study={study} onBack={goBack} />;
  return unread ? <StudyUnread {...unread} /> : null;
}

function ShownStudy({ study, onBack }: { study: Study; onBack: () => void }) {
  const { i18n } = useLingui();
  const first = useFirstViewer();
  const [viewer, setViewer] = useState(opensDocument(study) ? "visor" : first);
  if (viewer === "visor") {
    return <StudyVisor study={study} onBack={onBack} onOpenOhif={() => setViewer("ohif")} />;
  }
  return (
    <div className="viewer-page" data-theme="dark">
      <header className="viewer-head">
        <Button onClick={onBack}>
          <ArrowLeftIcon small />
          <span className="viewer-back-label">
            <Trans id="pdf.back">Back to the list</Trans>
          </span>
        </Button>
        <div className="viewer-study">
          <h1 className="viewer-title">{descriptionText(i18n, study)}</h1>
          <p className="viewer-line">
            <ViewerFacts study={study} />
          </p>
        </div>
      </header>
      <ViewerStage study={study} onRefused={onBack} />
    </div>
  );
}
